// Encoders: one text per pass, one pooled vector per text.
#include "bindings.h"
#include "errors.h"
#include "handles.h"
#include "library.h"

namespace plumbline {
namespace {

class EmbedWorker : public Napi::AsyncWorker {
 public:
  EmbedWorker(Napi::Env env, std::shared_ptr<ContextHandle> handle, std::vector<llama_token> tokens)
      : Napi::AsyncWorker(env),
        deferred_(Napi::Promise::Deferred::New(env)),
        handle_(std::move(handle)),
        tokens_(std::move(tokens)) {}

  Napi::Promise promise() const { return deferred_.Promise(); }

  void Execute() override {
    try {
      run();
    } catch (const std::exception& error) {
      SetError(std::string("llama.cpp could not embed: ") + error.what());
    }
  }

  void OnOK() override {
    handle_->busy = false;
    auto array = Napi::Float32Array::New(Env(), vector_.size());
    std::copy(vector_.begin(), vector_.end(), array.Data());
    deferred_.Resolve(array);
  }

  void OnError(const Napi::Error& error) override {
    handle_->busy = false;
    deferred_.Reject(make_error(Env(), "DECODE", error.Message()).Value());
  }

 private:
  Napi::Promise::Deferred deferred_;
  std::shared_ptr<ContextHandle> handle_;
  std::vector<llama_token> tokens_;
  std::vector<float> vector_;

  void run() {
    const size_t n = tokens_.size();
    std::vector<llama_pos> positions(n);
    std::vector<int32_t> counts(n, 1);
    llama_seq_id sequence = 0;
    std::vector<llama_seq_id*> lists(n, &sequence);
    // A pooled vector is of all rows.
    std::vector<int8_t> outputs(n, 1);
    for (size_t i = 0; i < n; ++i) positions[i] = static_cast<llama_pos>(i);
    llama_batch batch{};
    batch.n_tokens = static_cast<int32_t>(n);
    batch.token = tokens_.data();
    batch.pos = positions.data();
    batch.n_seq_id = counts.data();
    batch.seq_id = lists.data();
    batch.logits = outputs.data();
    if (llama_memory_t memory = lib().llama_get_memory(handle_->context)) lib().llama_memory_clear(memory, true);
    lib().take_log();
    const int32_t status = lib().llama_decode(handle_->context, batch);
    if (status != 0) throw NativeError("DECODE", "llama_decode answered " + std::to_string(status) + "\n" + lib().take_log());
    const float* vector = lib().llama_get_embeddings_seq(handle_->context, 0);
    if (vector == nullptr) throw NativeError("DECODE", "the model gave no pooled vector");
    vector_.assign(vector, vector + lib().llama_model_n_embd_out(handle_->model->get()));
  }
};

}  // namespace

// llama_tokenize
// tokenizeWhole(model: ModelHandle, text: string): Int32Array
// With the special tokens that the model puts around a whole text; the text itself never becomes one.
Napi::Value tokenize_whole(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    const auto handle = model_of(info[0]);
    const std::string input = text(info[1], "a text");
    require(input.size() <= 64u << 20, "a text of at most 64 MiB");
    std::vector<llama_token> ids(input.size() + 16);
    const int32_t n = lib().llama_tokenize(handle->vocab(), input.data(), static_cast<int32_t>(input.size()), ids.data(),
                                           static_cast<int32_t>(ids.size()), true, false);
    require(n >= 0, "a text that llama.cpp can tokenise");
    auto result = Napi::Int32Array::New(info.Env(), static_cast<size_t>(n));
    std::copy(ids.begin(), ids.begin() + n, result.Data());
    return result;
  });
}

// llama_decode, llama_get_embeddings_seq, llama_memory_clear
// embed(context: ContextHandle, tokens: Int32Array): Promise<Float32Array>
Napi::Value embed(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    auto handle = context_of(info[0]);
    handle->get();
    if (handle->busy) throw NativeError("BUSY", "the context is decoding");
    require(handle->pooled, "an encoder's context");
    const auto tokens = int32s(info[1], "tokens, an Int32Array");
    const size_t n = tokens.ElementLength();
    require(n >= 1 && n <= static_cast<size_t>(handle->n_ubatch) && n <= static_cast<size_t>(handle->n_ctx_seq),
            "1 to window tokens");
    const int32_t n_vocab = lib().llama_vocab_n_tokens(handle->model->vocab());
    for (size_t i = 0; i < n; ++i) require(tokens[i] >= 0 && tokens[i] < n_vocab, "token ids inside the vocabulary");
    auto* worker = new EmbedWorker(info.Env(), handle, std::vector<llama_token>(tokens.Data(), tokens.Data() + n));
    handle->busy = true;
    auto promise = worker->promise();
    worker->Queue();
    return promise;
  });
}

}  // namespace plumbline
