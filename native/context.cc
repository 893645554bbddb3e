// Contexts and their memory. Only whole-stream copies, tail removals and clear are offered: every other memory call
// of llama.cpp can abort the process when streams are separate.
#include <algorithm>

#include "bindings.h"
#include "errors.h"
#include "handles.h"
#include "library.h"

namespace plumbline {
namespace {

struct ContextOptions {
  int32_t n_seq, n_ctx_seq, n_ubatch, n_outputs, threads;
  bool flash_attention, unified;
  // Of an encoder's context; none for a judge's.
  enum llama_pooling_type pooling = LLAMA_POOLING_TYPE_NONE;
};

class CreateWorker : public Napi::AsyncWorker {
 public:
  CreateWorker(Napi::Env env, std::shared_ptr<ModelHandle> model, ContextOptions options)
      : Napi::AsyncWorker(env), deferred_(Napi::Promise::Deferred::New(env)), model_(std::move(model)), options_(options) {}

  Napi::Promise promise() const { return deferred_.Promise(); }

  void Execute() override {
    auto handle = std::make_shared<ContextHandle>();
    handle->model = model_;
    auto params = lib().llama_context_default_params();
    params.n_ctx = static_cast<uint32_t>(options_.n_seq) * static_cast<uint32_t>(options_.n_ctx_seq);
    params.n_seq_max = static_cast<uint32_t>(options_.n_seq);
    params.n_batch = static_cast<uint32_t>(options_.n_ubatch);
    params.n_ubatch = static_cast<uint32_t>(options_.n_ubatch);
    params.n_outputs_max = static_cast<uint32_t>(options_.n_outputs);
    params.n_threads = options_.threads;
    params.n_threads_batch = options_.threads;
    params.flash_attn_type = options_.flash_attention ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
    params.kv_unified = options_.unified;
    // A sliding-window cache that forgets would make tail removal lossy.
    params.swa_full = true;
    params.no_perf = true;
    if (options_.pooling != LLAMA_POOLING_TYPE_NONE) {
      params.embeddings = true;
      params.pooling_type = options_.pooling;
    }
    params.cb_eval = Tap::callback;
    params.cb_eval_user_data = &handle->tap;
    lib().take_log();
    try {
      handle->context = lib().llama_init_from_model(model_->get(), params);
    } catch (const std::exception& error) {
      SetError(std::string("llama.cpp threw: ") + error.what());
      return;
    }
    if (handle->context == nullptr) {
      SetError("llama.cpp could not create a context of " + std::to_string(options_.n_seq) + " x " +
               std::to_string(options_.n_ctx_seq) + " cells\nllama.cpp said:\n" + lib().take_log());
      return;
    }
    handle->tap.n_embd = lib().llama_model_n_embd(model_->get());
    handle->n_seq = static_cast<int32_t>(lib().llama_n_seq_max(handle->context));
    handle->n_ctx_seq = static_cast<int32_t>(lib().llama_n_ctx_seq(handle->context));
    handle->n_ubatch = static_cast<int32_t>(lib().llama_n_ubatch(handle->context));
    handle->n_outputs = options_.n_outputs;
    handle->pooled = options_.pooling != LLAMA_POOLING_TYPE_NONE;
    handle_ = std::move(handle);
  }

  void OnOK() override { deferred_.Resolve(wrap_context(Env(), handle_)); }
  void OnError(const Napi::Error& error) override { deferred_.Reject(make_error(Env(), "CONTEXT", error.Message()).Value()); }

 private:
  Napi::Promise::Deferred deferred_;
  std::shared_ptr<ModelHandle> model_;
  ContextOptions options_;
  std::shared_ptr<ContextHandle> handle_;
};

std::shared_ptr<ContextHandle> idle_context(const Napi::Value& value) {
  auto handle = context_of(value);
  handle->get();
  if (handle->busy) throw NativeError("BUSY", "the context is decoding");
  return handle;
}

int32_t sequence(const ContextHandle& handle, const Napi::Value& value) {
  const int32_t seq = int32(value, "a sequence number");
  require(seq >= 0 && seq < handle.n_seq, "a sequence number below the number of sequences");
  return seq;
}

}  // namespace

// llama_init_from_model, llama_n_seq_max, llama_n_ctx_seq, llama_n_ubatch
// createContext(model: ModelHandle, sequences: number, cellsPerSequence: number, ubatch: number, maxOutputs: number, threads: number, flashAttention: boolean, unified: boolean): Promise<ContextHandle>
Napi::Value create_context(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    auto model = model_of(info[0]);
    model->get();
    require(!model->vocab_only, "a model with its weights, not a vocabulary alone");
    ContextOptions options{};
    options.n_seq = int32(info[1], "a number of sequences");
    options.n_ctx_seq = int32(info[2], "cells per sequence");
    options.n_ubatch = int32(info[3], "a ubatch size");
    options.n_outputs = int32(info[4], "a number of outputs");
    options.threads = int32(info[5], "a number of threads");
    options.flash_attention = boolean(info[6], "flashAttention, a boolean");
    options.unified = boolean(info[7], "unified, a boolean");
    require(options.n_seq >= 1 && options.n_seq <= 256, "1 to 256 sequences");
    require(options.n_ctx_seq >= 1 && options.n_ctx_seq <= (1 << 20), "1 to 1048576 cells per sequence");
    require(static_cast<int64_t>(options.n_seq) * options.n_ctx_seq < (int64_t{1} << 31), "fewer than 2^31 cells in all");
    require(options.n_ubatch >= 1 && options.n_ubatch <= 65536, "a ubatch of 1 to 65536");
    require(options.n_outputs >= 1 && options.n_outputs <= options.n_ubatch, "1 to ubatch outputs");
    // llama.cpp makes room for one output per sequence at least, and asserts that it is allowed to.
    options.n_outputs = std::max(options.n_outputs, options.n_seq);
    require(options.threads >= 1 && options.threads <= 512, "1 to 512 threads");
    auto* worker = new CreateWorker(info.Env(), std::move(model), options);
    auto promise = worker->promise();
    worker->Queue();
    return promise;
  });
}

// llama_init_from_model, llama_n_seq_max, llama_n_ctx_seq, llama_n_ubatch
// createEncoder(model: ModelHandle, window: number, threads: number, pooling: number): Promise<ContextHandle>
// pooling: 1 mean, 2 first token, 3 last token, as in llama.cpp.
Napi::Value create_encoder(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    auto model = model_of(info[0]);
    model->get();
    const int32_t window = int32(info[1], "a window in tokens");
    const int32_t threads = int32(info[2], "a number of threads");
    const int32_t pooling = int32(info[3], "a pooling type");
    require(window >= 1 && window <= (1 << 20), "a window of 1 to 1048576 tokens");
    require(threads >= 1 && threads <= 512, "1 to 512 threads");
    require(pooling >= LLAMA_POOLING_TYPE_MEAN && pooling <= LLAMA_POOLING_TYPE_LAST, "mean, first or last pooling");
    ContextOptions options{};
    options.n_seq = 1;
    options.n_ctx_seq = window;
    options.n_ubatch = window;
    options.n_outputs = window;
    options.threads = threads;
    options.pooling = static_cast<enum llama_pooling_type>(pooling);
    auto* worker = new CreateWorker(info.Env(), std::move(model), options);
    auto promise = worker->promise();
    worker->Queue();
    return promise;
  });
}

// llama_free
// disposeContext(context: ContextHandle): void
Napi::Value dispose_context(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    auto handle = idle_context(info[0]);
    lib().llama_free(handle->context);
    handle->context = nullptr;
    handle->model.reset();
    return info.Env().Undefined();
  });
}

// llama_n_seq_max, llama_n_ctx_seq, llama_n_ubatch
// contextInfo(context: ContextHandle): { sequences: number; cellsPerSequence: number; ubatch: number }
Napi::Value context_info(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    auto handle = context_of(info[0]);
    handle->get();
    auto result = Napi::Object::New(info.Env());
    result.Set("sequences", handle->n_seq);
    result.Set("cellsPerSequence", handle->n_ctx_seq);
    result.Set("ubatch", handle->n_ubatch);
    return result;
  });
}

// llama_memory_clear
// memoryClear(context: ContextHandle): void
Napi::Value memory_clear(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    auto handle = idle_context(info[0]);
    // The data too: stale values behind a mask would make two equal runs differ if a NaN ever stood there.
    lib().llama_memory_clear(lib().llama_get_memory(handle->context), true);
    return info.Env().Undefined();
  });
}

// llama_memory_seq_rm
// memoryRemoveTail(context: ContextHandle, sequence: number, from: number): boolean
Napi::Value memory_remove_tail(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    auto handle = idle_context(info[0]);
    const int32_t seq = sequence(*handle, info[1]);
    const int32_t from = int32(info[2], "a position");
    require(from >= 0, "a position of at least 0");
    const bool removed = lib().llama_memory_seq_rm(lib().llama_get_memory(handle->context), seq, from, -1);
    return Napi::Boolean::New(info.Env(), removed);
  });
}

// llama_memory_seq_cp
// memoryCopy(context: ContextHandle, from: number, to: number): void
Napi::Value memory_copy(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    auto handle = idle_context(info[0]);
    const int32_t from = sequence(*handle, info[1]);
    const int32_t to = sequence(*handle, info[2]);
    require(from != to, "two different sequences");
    lib().llama_memory_seq_cp(lib().llama_get_memory(handle->context), from, to, -1, -1);
    return info.Env().Undefined();
  });
}

// llama_set_adapter_cvec
// setControlVector(context: ContextHandle, data: Float32Array, firstLayer: number, lastLayer: number): void
// data: one row of n_embd values per block from block 1 on; block 0 cannot be steered this way. Empty data removes it.
Napi::Value set_control_vector(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    auto handle = idle_context(info[0]);
    const auto data = float32s(info[1], "data, a Float32Array");
    const int32_t first = int32(info[2], "a first layer");
    const int32_t last = int32(info[3], "a last layer");
    const int32_t n_embd = handle->tap.n_embd;
    const int32_t n_layer = lib().llama_model_n_layer(handle->model->get());
    const auto width = static_cast<size_t>(n_embd);
    require(data.ElementLength() % width == 0 && data.ElementLength() / width < static_cast<size_t>(n_layer),
            "rows of n_embd values, fewer than layers");
    require(first >= 1 && first <= last && last < n_layer, "1 <= first layer <= last layer < number of layers");
    const bool none = data.ElementLength() == 0;
    const int32_t failed =
        lib().llama_set_adapter_cvec(handle->context, none ? nullptr : data.Data(), data.ElementLength(), n_embd, first, last);
    if (failed != 0) throw NativeError("CONTEXT", "llama.cpp refused the control vector for this architecture");
    return info.Env().Undefined();
  });
}

}  // namespace plumbline
