// Library and model: open, load, facts, tokens.
#include "bindings.h"
#include "errors.h"
#include "handles.h"
#include "library.h"

namespace plumbline {
namespace {

std::string with_log(const std::string& message) {
  const std::string log = lib().take_log();
  return log.empty() ? message : message + "\nllama.cpp said:\n" + log;
}

void require_open() {
  if (!lib().is_open) throw NativeError("LIBRARY_NOT_FOUND", "openLibrary has not been called");
}

class LoadWorker : public Napi::AsyncWorker {
 public:
  LoadWorker(Napi::Env env, std::string path, int32_t gpu_layers, bool vocab_only, Napi::Function progress)
      : Napi::AsyncWorker(env),
        deferred_(Napi::Promise::Deferred::New(env)),
        path_(std::move(path)),
        gpu_layers_(gpu_layers),
        vocab_only_(vocab_only),
        progress_(Napi::ThreadSafeFunction::New(env, progress, "load progress", 0, 1)) {}

  Napi::Promise promise() const { return deferred_.Promise(); }

  void Execute() override {
    auto params = lib().llama_model_default_params();
    params.n_gpu_layers = gpu_layers_;
    params.vocab_only = vocab_only_;
    params.progress_callback_user_data = this;
    params.progress_callback = [](float progress, void* self) {
      auto& worker = *static_cast<LoadWorker*>(self);
      worker.progress_.NonBlockingCall([progress](Napi::Env env, Napi::Function call) { call.Call({Napi::Number::New(env, progress)}); });
      return true;
    };
    lib().take_log();
    auto handle = std::make_shared<ModelHandle>();
    try {
      handle->model = lib().llama_model_load_from_file(path_.c_str(), params);
    } catch (const std::exception& error) {
      SetError(with_log(std::string("llama.cpp threw: ") + error.what()));
      return;
    }
    if (handle->model == nullptr) {
      SetError(with_log("llama.cpp could not load " + path_));
      return;
    }
    handle->vocab_only = vocab_only_;
    handle_ = std::move(handle);
  }

  void OnOK() override {
    progress_.Release();
    deferred_.Resolve(wrap_model(Env(), handle_));
  }

  void OnError(const Napi::Error& error) override {
    progress_.Release();
    deferred_.Reject(make_error(Env(), "MODEL_LOAD", error.Message()).Value());
  }

 private:
  Napi::Promise::Deferred deferred_;
  std::string path_;
  int32_t gpu_layers_;
  bool vocab_only_;
  Napi::ThreadSafeFunction progress_;
  std::shared_ptr<ModelHandle> handle_;
};

std::vector<llama_token> tokenize_text(const llama_vocab* vocab, const std::string& input, bool parse_special) {
  require(input.size() <= 64u << 20, "a text of at most 64 MiB");
  const auto length = static_cast<int32_t>(input.size());
  std::vector<llama_token> ids(input.size() + 8);
  int32_t n = lib().llama_tokenize(vocab, input.data(), length, ids.data(), static_cast<int32_t>(ids.size()), false, parse_special);
  if (n < 0) {
    ids.resize(static_cast<size_t>(-static_cast<int64_t>(n)));
    n = lib().llama_tokenize(vocab, input.data(), length, ids.data(), static_cast<int32_t>(ids.size()), false, parse_special);
  }
  if (n < 0) throw NativeError("NATIVE_ARGUMENT", "llama.cpp could not tokenise the text");
  ids.resize(static_cast<size_t>(n));
  return ids;
}

}  // namespace

// llama_backend_init, ggml_backend_load_all_from_path, llama_version, llama_print_system_info
// openLibrary(files: readonly string[], backendDir: string): { version: string; systemInfo: string }
Napi::Value open_library(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    require(info[0].IsArray(), "an array of library files");
    std::vector<std::string> files;
    const auto array = info[0].As<Napi::Array>();
    for (uint32_t i = 0; i < array.Length(); ++i) files.push_back(text(array.Get(i), "a library file name"));
    const std::string problem = lib().open(files, text(info[1], "a folder of backends"));
    if (!problem.empty()) {
      const bool abi = problem.rfind("ABI: ", 0) == 0;
      throw NativeError(abi ? "ABI_MISMATCH" : "LIBRARY_NOT_FOUND", abi ? problem.substr(5) : problem);
    }
    auto result = Napi::Object::New(info.Env());
    result.Set("version", lib().llama_version());
    result.Set("systemInfo", lib().llama_print_system_info());
    return result;
  });
}

// ggml_backend_dev_count, ggml_backend_dev_get, ggml_backend_dev_name, ggml_backend_dev_description,
// ggml_backend_dev_memory, ggml_backend_dev_type
// devices(): { name: string; description: string; type: number; free: number; total: number }[]
Napi::Value devices(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    require_open();
    auto list = Napi::Array::New(info.Env());
    for (size_t i = 0; i < lib().ggml_backend_dev_count(); ++i) {
      auto* device = lib().ggml_backend_dev_get(i);
      size_t free = 0, total = 0;
      lib().ggml_backend_dev_memory(device, &free, &total);
      auto item = Napi::Object::New(info.Env());
      item.Set("name", lib().ggml_backend_dev_name(device));
      item.Set("description", lib().ggml_backend_dev_description(device));
      item.Set("type", static_cast<double>(lib().ggml_backend_dev_type(device)));
      item.Set("free", static_cast<double>(free));
      item.Set("total", static_cast<double>(total));
      list.Set(static_cast<uint32_t>(i), item);
    }
    return list;
  });
}

// llama_model_load_from_file
// loadModel(path: string, gpuLayers: number, vocabOnly: boolean, progress: (share: number) => void): Promise<ModelHandle>
Napi::Value load_model(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    require_open();
    require(info[3].IsFunction(), "a progress function");
    auto* worker = new LoadWorker(info.Env(), text(info[0], "a path"), int32(info[1], "a number of GPU layers"),
                                  boolean(info[2], "vocabOnly, a boolean"), info[3].As<Napi::Function>());
    auto promise = worker->promise();
    worker->Queue();
    return promise;
  });
}

// llama_model_free
// disposeModel(model: ModelHandle): void
Napi::Value dispose_model(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    auto handle = model_of(info[0]);
    // Contexts hold the same handle: the weights go when the last of them is disposed.
    require(handle.use_count() <= 2, "a model without living contexts");
    lib().llama_model_free(handle->get());
    handle->model = nullptr;
    return info.Env().Undefined();
  });
}

// llama_model_desc, llama_model_n_*, llama_model_size, llama_model_is_*, llama_model_has_*, llama_vocab_*,
// llama_model_chat_template
// modelInfo(model: ModelHandle): NativeModelInfo
Napi::Value model_info(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    const auto handle = model_of(info[0]);
    const auto* model = handle->get();
    const auto* vocab = handle->vocab();
    auto result = Napi::Object::New(info.Env());
    char description[256] = {0};
    lib().llama_model_desc(model, description, sizeof(description));
    result.Set("description", description);
    result.Set("nEmbd", lib().llama_model_n_embd(model));
    result.Set("nLayer", lib().llama_model_n_layer(model));
    result.Set("nCtxTrain", lib().llama_model_n_ctx_train(model));
    result.Set("nSwa", lib().llama_model_n_swa(model));
    result.Set("nVocab", lib().llama_vocab_n_tokens(vocab));
    result.Set("nParams", static_cast<double>(lib().llama_model_n_params(model)));
    result.Set("bytes", static_cast<double>(lib().llama_model_size(model)));
    result.Set("hasEncoder", lib().llama_model_has_encoder(model));
    result.Set("hasDecoder", lib().llama_model_has_decoder(model));
    result.Set("isRecurrent", lib().llama_model_is_recurrent(model));
    result.Set("isHybrid", lib().llama_model_is_hybrid(model));
    result.Set("isDiffusion", lib().llama_model_is_diffusion(model));
    result.Set("bos", lib().llama_vocab_bos(vocab));
    result.Set("eos", lib().llama_vocab_eos(vocab));
    result.Set("addBos", lib().llama_vocab_get_add_bos(vocab));
    const char* chat = lib().llama_model_chat_template(model, nullptr);
    result.Set("chatTemplate", chat == nullptr ? info.Env().Null() : Napi::String::New(info.Env(), chat));
    return result;
  });
}

// llama_vocab_n_tokens, llama_vocab_get_attr, llama_vocab_get_text, llama_vocab_is_eog
// specialTokens(model: ModelHandle): { id: number; text: string; control: boolean; endOfGeneration: boolean; stripsBefore: boolean; stripsAfter: boolean }[]
Napi::Value special_tokens(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    const auto handle = model_of(info[0]);
    const auto* vocab = handle->vocab();
    auto list = Napi::Array::New(info.Env());
    uint32_t n = 0;
    for (llama_token id = 0; id < lib().llama_vocab_n_tokens(vocab); ++id) {
      const int attr = lib().llama_vocab_get_attr(vocab, id);
      const bool control = (attr & (LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_UNKNOWN)) != 0;
      const bool eog = lib().llama_vocab_is_eog(vocab, id);
      if (!control && !eog && (attr & LLAMA_TOKEN_ATTR_USER_DEFINED) == 0) continue;
      auto item = Napi::Object::New(info.Env());
      item.Set("id", id);
      item.Set("text", lib().llama_vocab_get_text(vocab, id));
      item.Set("control", control);
      item.Set("endOfGeneration", eog);
      item.Set("stripsBefore", (attr & LLAMA_TOKEN_ATTR_LSTRIP) != 0);
      item.Set("stripsAfter", (attr & LLAMA_TOKEN_ATTR_RSTRIP) != 0);
      list.Set(n++, item);
    }
    return list;
  });
}

// llama_tokenize
// tokenize(model: ModelHandle, text: string, parseSpecial: boolean): Int32Array
Napi::Value tokenize(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    const auto handle = model_of(info[0]);
    const auto ids = tokenize_text(handle->vocab(), text(info[1], "a text"), boolean(info[2], "parseSpecial, a boolean"));
    auto result = Napi::Int32Array::New(info.Env(), ids.size());
    std::copy(ids.begin(), ids.end(), result.Data());
    return result;
  });
}

// llama_token_to_piece
// tokenBytes(model: ModelHandle, ids: Int32Array, special: boolean): Uint8Array
Napi::Value token_bytes(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    const auto handle = model_of(info[0]);
    const auto* vocab = handle->vocab();
    const auto ids = int32s(info[1], "token ids, an Int32Array");
    const bool special = boolean(info[2], "special, a boolean");
    const int32_t n_vocab = lib().llama_vocab_n_tokens(vocab);
    std::string all;
    std::vector<char> piece(64);
    for (size_t i = 0; i < ids.ElementLength(); ++i) {
      require(ids[i] >= 0 && ids[i] < n_vocab, "token ids inside the vocabulary");
      int32_t n = lib().llama_token_to_piece(vocab, ids[i], piece.data(), static_cast<int32_t>(piece.size()), 0, special);
      if (n < 0) {
        piece.resize(static_cast<size_t>(-n));
        n = lib().llama_token_to_piece(vocab, ids[i], piece.data(), static_cast<int32_t>(piece.size()), 0, special);
      }
      all.append(piece.data(), static_cast<size_t>(n < 0 ? 0 : n));
    }
    auto result = Napi::Uint8Array::New(info.Env(), all.size());
    std::copy(all.begin(), all.end(), result.Data());
    return result;
  });
}

// llama_model_quantize
// quantize(input: string, output: string, ftype: number): void
Napi::Value quantize(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    require_open();
    auto params = lib().llama_model_quantize_default_params();
    params.ftype = static_cast<llama_ftype>(int32(info[2], "a file type number"));
    params.nthread = 1;
    params.allow_requantize = true;
    lib().take_log();
    const std::string input = text(info[0], "an input path");
    const uint32_t failed = lib().llama_model_quantize(input.c_str(), text(info[1], "an output path").c_str(), &params);
    if (failed != 0) throw NativeError("MODEL_LOAD", with_log("llama.cpp could not quantise " + input));
    return info.Env().Undefined();
  });
}

}  // namespace plumbline
