// One decode: the batch, what is wanted of its rows, and the tap.
#include <cmath>

#include "bindings.h"
#include "errors.h"
#include "handles.h"
#include "library.h"

namespace plumbline {
namespace {

// The logit of one token at one batch row, with what the whole row says.
struct Want {
  int32_t row;
  int32_t token;
};

struct RowSummary {
  float logit = 0;
  double log_sum_exp = 0;
  int32_t arg_max = -1;
  float max = 0;
};

class DecodeWorker : public Napi::AsyncWorker {
 public:
  DecodeWorker(Napi::Env env, std::shared_ptr<ContextHandle> handle)
      : Napi::AsyncWorker(env), deferred_(Napi::Promise::Deferred::New(env)), handle_(std::move(handle)) {}

  std::vector<llama_token> tokens;
  std::vector<llama_pos> positions;
  std::vector<llama_seq_id> sequences;
  std::vector<int8_t> outputs;
  std::vector<Want> wants;
  std::vector<LayerTap> layers;
  bool stop = false;
  std::vector<int32_t> keep_rows;  // numbers of wants

  Napi::Promise promise() const { return deferred_.Promise(); }

  void Execute() override {
    try {
      run();
    } catch (const NativeError& error) {
      code_ = error.code;
      SetError(error.what());
    } catch (const std::exception& error) {
      code_ = "DECODE";
      SetError(std::string("llama.cpp threw: ") + error.what());
    }
  }

  void OnOK() override {
    handle_->busy = false;
    deferred_.Resolve(result());
  }

  void OnError(const Napi::Error& error) override {
    handle_->busy = false;
    deferred_.Reject(make_error(Env(), code_, error.Message()).Value());
  }

 private:
  Napi::Promise::Deferred deferred_;
  std::shared_ptr<ContextHandle> handle_;
  std::string code_ = "DECODE";
  std::vector<RowSummary> summaries_;
  std::vector<float> logits_;
  int32_t n_vocab_ = 0;
  bool stopped_ = false;

  void run() {
    const size_t n = tokens.size();
    std::vector<int32_t> counts(n, 1);
    std::vector<llama_seq_id*> lists(n);
    std::vector<int32_t> output_row(n, -1);
    int32_t n_outputs = 0;
    for (size_t i = 0; i < n; ++i) {
      lists[i] = &sequences[i];
      if (outputs[i] != 0) output_row[i] = n_outputs++;
    }
    llama_batch batch{};
    batch.n_tokens = static_cast<int32_t>(n);
    batch.token = tokens.data();
    batch.pos = positions.data();
    batch.n_seq_id = counts.data();
    batch.seq_id = lists.data();
    batch.logits = outputs.data();

    auto& tap = handle_->tap;
    tap.layers = std::move(layers);
    tap.stop_after_last = stop;
    tap.begin(tokens, output_row, n_outputs);
    lib().take_log();
    const int32_t status = lib().llama_decode(handle_->context, batch);
    layers = std::move(tap.layers);
    tap.layers.clear();
    stopped_ = tap.stopped;
    if (!tap.fault.empty()) {
      forget();
      throw NativeError("TAP", tap.fault);
    }
    if (status != 0) {
      throw NativeError("DECODE", "llama_decode answered " + std::to_string(status) +
                                      (status == 1 ? " (no room in the memory)" : "") + "\nllama.cpp said:\n" + lib().take_log());
    }
    for (const auto& layer : layers) {
      if (!layer.fired) {
        forget();
        throw NativeError("TAP", "the output of block " + std::to_string(layer.layer) + " (l_out-" + std::to_string(layer.layer) +
                                     ") never appeared: this architecture does not expose its residual stream");
      }
    }
    if (!stopped_) summarise();
  }

  // A decode that was broken off left cells without contents in the memory: nobody may read them.
  void forget() {
    auto* memory = lib().llama_get_memory(handle_->context);
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (i == 0 || sequences[i] != sequences[i - 1]) lib().llama_memory_seq_rm(memory, sequences[i], positions[i], -1);
    }
  }

  void summarise() {
    n_vocab_ = lib().llama_vocab_n_tokens(handle_->model->vocab());
    summaries_.resize(wants.size());
    for (size_t i = 0; i < wants.size(); ++i) {
      const float* row = lib().llama_get_logits_ith(handle_->context, wants[i].row);
      if (row == nullptr) throw NativeError("DECODE", "no logits at batch row " + std::to_string(wants[i].row));
      auto& summary = summaries_[i];
      if (i > 0 && wants[i].row == wants[i - 1].row) {
        summary = summaries_[i - 1];
      } else {
        summary = whole_row(row);
      }
      summary.logit = row[wants[i].token];
    }
    logits_.reserve(keep_rows.size() * static_cast<size_t>(n_vocab_));
    for (int32_t want : keep_rows) {
      const float* row = lib().llama_get_logits_ith(handle_->context, wants[static_cast<size_t>(want)].row);
      logits_.insert(logits_.end(), row, row + n_vocab_);
    }
  }

  RowSummary whole_row(const float* row) const {
    RowSummary summary;
    summary.arg_max = 0;
    for (int32_t j = 1; j < n_vocab_; ++j) {
      if (row[j] > row[summary.arg_max]) summary.arg_max = j;
    }
    summary.max = row[summary.arg_max];
    double sum = 0;
    for (int32_t j = 0; j < n_vocab_; ++j) sum += std::exp(static_cast<double>(row[j]) - summary.max);
    summary.log_sum_exp = summary.max + std::log(sum);
    return summary;
  }

  Napi::Value result() {
    const Napi::Env env = Env();
    auto out = Napi::Object::New(env);
    const size_t n = stopped_ ? 0 : wants.size();
    auto logits = Napi::Float32Array::New(env, n);
    auto sums = Napi::Float64Array::New(env, n);
    auto arg_max = Napi::Int32Array::New(env, n);
    auto max = Napi::Float32Array::New(env, n);
    for (size_t i = 0; i < n; ++i) {
      logits[i] = summaries_[i].logit;
      sums[i] = summaries_[i].log_sum_exp;
      arg_max[i] = summaries_[i].arg_max;
      max[i] = summaries_[i].max;
    }
    out.Set("logit", logits);
    out.Set("logSumExp", sums);
    out.Set("argMax", arg_max);
    out.Set("max", max);
    out.Set("rows", floats(env, logits_));
    auto taps = Napi::Array::New(env, layers.size());
    for (size_t i = 0; i < layers.size(); ++i) {
      auto item = Napi::Object::New(env);
      item.Set("layer", layers[i].layer);
      item.Set("norms", floats(env, layers[i].norms));
      auto projections = Napi::Float64Array::New(env, layers[i].projections.size());
      std::copy(layers[i].projections.begin(), layers[i].projections.end(), projections.Data());
      item.Set("projections", projections);
      item.Set("activations", floats(env, layers[i].activations));
      taps.Set(static_cast<uint32_t>(i), item);
    }
    out.Set("taps", taps);
    out.Set("stopped", stopped_);
    return out;
  }

  static Napi::Float32Array floats(Napi::Env env, const std::vector<float>& values) {
    auto array = Napi::Float32Array::New(env, values.size());
    std::copy(values.begin(), values.end(), array.Data());
    return array;
  }
};

std::vector<int32_t> rows_of(const Napi::Value& value, int32_t n_tokens, const char* what) {
  const auto array = int32s(value, what);
  std::vector<int32_t> rows(array.ElementLength());
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i] = array[i];
    require(rows[i] >= 0 && rows[i] < n_tokens, what);
  }
  return rows;
}

LayerTap layer_tap(const Napi::Object& given, int32_t n_tokens, int32_t n_embd, int32_t n_layer) {
  LayerTap tap;
  const auto width = static_cast<size_t>(n_embd);
  tap.layer = int32(given.Get("layer"), "a layer number");
  require(tap.layer >= 0 && tap.layer < n_layer, "a layer of the model");
  tap.read_rows = rows_of(given.Get("readRows"), n_tokens, "readRows inside the batch");
  const auto directions = float32s(given.Get("directions"), "directions, a Float32Array");
  require(directions.ElementLength() % width == 0, "directions of n_embd values each");
  tap.directions.assign(directions.Data(), directions.Data() + directions.ElementLength());
  tap.keep_activations = boolean(given.Get("keepActivations"), "keepActivations, a boolean");
  tap.add_rows = rows_of(given.Get("addRows"), n_tokens, "addRows inside the batch");
  const auto alphas = float32s(given.Get("addAlphas"), "addAlphas, a Float32Array");
  require(alphas.ElementLength() == tap.add_rows.size(), "one alpha per added row");
  tap.add_alphas.assign(alphas.Data(), alphas.Data() + alphas.ElementLength());
  const auto vectors = float32s(given.Get("vectors"), "vectors, a Float32Array");
  require(vectors.ElementLength() % width == 0, "vectors of n_embd values each");
  tap.vectors.assign(vectors.Data(), vectors.Data() + vectors.ElementLength());
  const auto n_vectors = static_cast<int32_t>(vectors.ElementLength() / width);
  require(tap.add_rows.empty() || n_vectors >= 1, "a vector to add");
  const auto picks = int32s(given.Get("addVectors"), "addVectors, an Int32Array");
  require(picks.ElementLength() == 0 || picks.ElementLength() == tap.add_rows.size(),
          "one vector number per added row, or none for vector 0 everywhere");
  tap.add_vectors.assign(tap.add_rows.size(), 0);
  for (size_t i = 0; i < picks.ElementLength(); ++i) {
    require(picks[i] >= 0 && picks[i] < n_vectors, "addVectors inside vectors");
    tap.add_vectors[i] = picks[i];
  }
  tap.norms.resize(tap.read_rows.size());
  tap.projections.resize(tap.read_rows.size() * (directions.ElementLength() / width));
  if (tap.keep_activations) tap.activations.resize(tap.read_rows.size() * width);
  return tap;
}

}  // namespace

// llama_decode, llama_get_logits_ith, llama_get_memory, llama_memory_seq_rm
// decode(context: ContextHandle, request: NativeDecodeRequest): Promise<NativeDecodeResult>
Napi::Value decode(const Napi::CallbackInfo& info) {
  return guarded(info, [&]() -> Napi::Value {
    auto handle = context_of(info[0]);
    handle->get();
    if (handle->busy) throw NativeError("BUSY", "the context is decoding");
    require(!handle->pooled, "a judge's context, not an encoder's");
    require(info[1].IsObject(), "a decode request");
    const auto request = info[1].As<Napi::Object>();
    const auto tokens = int32s(request.Get("tokens"), "tokens, an Int32Array");
    const auto positions = int32s(request.Get("positions"), "positions, an Int32Array");
    const auto sequences = int32s(request.Get("sequences"), "sequences, an Int32Array");
    const auto outputs = typed<Napi::Int8Array>(request.Get("outputs"), napi_int8_array, "outputs, an Int8Array");
    const size_t n = tokens.ElementLength();
    require(n >= 1 && n <= static_cast<size_t>(handle->n_ubatch), "1 to ubatch tokens");
    require(positions.ElementLength() == n && sequences.ElementLength() == n && outputs.ElementLength() == n,
            "as many positions, sequences and outputs as tokens");
    const int32_t n_vocab = lib().llama_vocab_n_tokens(handle->model->vocab());
    auto worker = std::make_unique<DecodeWorker>(info.Env(), handle);
    int32_t n_outputs = 0;
    for (size_t i = 0; i < n; ++i) {
      if (outputs[i] != 0) ++n_outputs;
      require(tokens[i] >= 0 && tokens[i] < n_vocab, "token ids inside the vocabulary");
      require(positions[i] >= 0 && positions[i] < handle->n_ctx_seq, "positions inside the context");
      require(sequences[i] >= 0 && sequences[i] < handle->n_seq, "sequences inside the context");
    }
    require(n_outputs <= handle->n_outputs, "at most as many outputs as the context was created for");
    worker->tokens.assign(tokens.Data(), tokens.Data() + n);
    worker->positions.assign(positions.Data(), positions.Data() + n);
    worker->sequences.assign(sequences.Data(), sequences.Data() + n);
    worker->outputs.assign(outputs.Data(), outputs.Data() + n);

    const auto want_rows = rows_of(request.Get("wantRows"), static_cast<int32_t>(n), "wantRows inside the batch");
    const auto want_tokens = int32s(request.Get("wantTokens"), "wantTokens, an Int32Array");
    require(want_tokens.ElementLength() == want_rows.size(), "one wanted token per wanted row");
    for (size_t i = 0; i < want_rows.size(); ++i) {
      require(worker->outputs[static_cast<size_t>(want_rows[i])] != 0, "wanted rows to be outputs");
      require(want_tokens[i] >= 0 && want_tokens[i] < n_vocab, "wanted tokens inside the vocabulary");
      worker->wants.push_back({want_rows[i], want_tokens[i]});
    }
    require(request.Get("taps").IsArray(), "taps, an array");
    const auto taps = request.Get("taps").As<Napi::Array>();
    const int32_t n_layer = lib().llama_model_n_layer(handle->model->get());
    for (uint32_t i = 0; i < taps.Length(); ++i) {
      require(taps.Get(i).IsObject(), "a tap");
      worker->layers.push_back(layer_tap(taps.Get(i).As<Napi::Object>(), static_cast<int32_t>(n), handle->tap.n_embd, n_layer));
      const size_t last = worker->layers.size() - 1;
      require(last == 0 || worker->layers[last - 1].layer < worker->layers[last].layer, "taps in ascending order of layers");
    }
    worker->stop = boolean(request.Get("stopAfterTaps"), "stopAfterTaps, a boolean");
    require(!worker->stop || !worker->layers.empty(), "a tap to stop after");
    worker->keep_rows = rows_of(request.Get("keepRows"), static_cast<int32_t>(worker->wants.size()), "keepRows inside the wants");
    handle->busy = true;
    auto promise = worker->promise();
    worker.release()->Queue();
    return promise;
  });
}

}  // namespace plumbline
