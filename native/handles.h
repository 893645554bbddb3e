// What JavaScript holds: opaque externals with a run-time type tag. A context keeps its model alive.
#pragma once

#include <napi.h>

#include <atomic>
#include <memory>

#include "tap.h"

namespace plumbline {

struct ModelHandle {
  llama_model* model = nullptr;
  bool vocab_only = false;
  ~ModelHandle();
  llama_model* get() const;
  const llama_vocab* vocab() const;
};

struct ContextHandle {
  std::shared_ptr<ModelHandle> model;
  llama_context* context = nullptr;
  Tap tap;
  std::atomic<bool> busy{false};
  int32_t n_seq = 0;
  int32_t n_ctx_seq = 0;
  int32_t n_ubatch = 0;
  int32_t n_outputs = 0;
  bool pooled = false;
  ~ContextHandle();
  llama_context* get() const;
};

Napi::Value wrap_model(Napi::Env env, std::shared_ptr<ModelHandle> handle);
Napi::Value wrap_context(Napi::Env env, std::shared_ptr<ContextHandle> handle);
std::shared_ptr<ModelHandle> model_of(const Napi::Value& value);
std::shared_ptr<ContextHandle> context_of(const Napi::Value& value);

}  // namespace plumbline
