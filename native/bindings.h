// Every exported function. Each definition carries a comment with the C calls it makes and its TypeScript signature;
// a test holds these comments, this list and src/engine/native.ts against each other.
#pragma once

#include <napi.h>

#define PLUMBLINE_BINDINGS(X) \
  X(openLibrary, open_library) \
  X(devices, devices) \
  X(loadModel, load_model) \
  X(disposeModel, dispose_model) \
  X(modelInfo, model_info) \
  X(specialTokens, special_tokens) \
  X(tokenize, tokenize) \
  X(tokenBytes, token_bytes) \
  X(quantize, quantize) \
  X(createContext, create_context) \
  X(disposeContext, dispose_context) \
  X(contextInfo, context_info) \
  X(memoryClear, memory_clear) \
  X(memoryRemoveTail, memory_remove_tail) \
  X(memoryCopy, memory_copy) \
  X(setControlVector, set_control_vector) \
  X(decode, decode) \
  X(createEncoder, create_encoder) \
  X(tokenizeWhole, tokenize_whole) \
  X(embed, embed)

namespace plumbline {

#define X(js, cpp) Napi::Value cpp(const Napi::CallbackInfo& info);
PLUMBLINE_BINDINGS(X)
#undef X

}  // namespace plumbline
