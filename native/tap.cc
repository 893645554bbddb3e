#include "tap.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "library.h"

namespace plumbline {
namespace {

constexpr char kPrefix[] = "l_out-";

// Tensors are read through the backend: on a GPU their memory is not ours.
void read_row(ggml_tensor* tensor, int32_t row, float* out, int32_t n) {
  lib().ggml_backend_tensor_get(tensor, out, static_cast<size_t>(row) * tensor->nb[1], static_cast<size_t>(n) * sizeof(float));
}

}  // namespace

void Tap::begin(const std::vector<llama_token>& batch_tokens, const std::vector<int32_t>& output_rows, int32_t outputs) {
  tokens = &batch_tokens;
  output_row = &output_rows;
  n_outputs = outputs;
  tokens_checked = false;
  stopped = false;
  fault.clear();
  for (auto& tap : layers) tap.fired = false;
}

bool Tap::callback(ggml_tensor* tensor, bool ask, void* self) {
  auto& tap = *static_cast<Tap*>(self);
  if (tap.layers.empty()) return !ask;
  return ask ? tap.want(tensor) : tap.visit(tensor);
}

LayerTap* Tap::find(const char* name) {
  if (std::strncmp(name, kPrefix, sizeof(kPrefix) - 1) != 0) return nullptr;
  char* end = nullptr;
  const long layer = std::strtol(name + sizeof(kPrefix) - 1, &end, 10);
  if (end == name + sizeof(kPrefix) - 1 || *end != '\0') return nullptr;
  for (auto& tap : layers) {
    if (tap.layer == layer) return &tap;
  }
  return nullptr;
}

bool Tap::want(const ggml_tensor* tensor) {
  // The embedding look-up shows which token each row of this graph belongs to.
  if (!tokens_checked && tensor->op == GGML_OP_GET_ROWS && tensor->src[1] != nullptr &&
      std::strstr(tensor->src[1]->name, "inp_tokens") != nullptr) {
    check_tokens(tensor->src[1]);
  }
  return find(tensor->name) != nullptr;
}

void Tap::check_tokens(const ggml_tensor* ids) {
  tokens_checked = true;
  const auto n = static_cast<size_t>(ids->ne[0]);
  std::vector<int32_t> seen(n);
  lib().ggml_backend_tensor_get(ids, seen.data(), 0, n * sizeof(int32_t));
  if (n != tokens->size() || !std::equal(seen.begin(), seen.end(), tokens->begin())) {
    fault = "the library evaluated the batch in another order or in several parts (" + std::to_string(n) + " rows for " +
            std::to_string(tokens->size()) + " tokens)";
  }
}

bool Tap::visit(ggml_tensor* tensor) {
  LayerTap* tap = find(tensor->name);
  if (tap == nullptr || !fault.empty()) return fault.empty();
  if (!tokens_checked) {
    fault = "this architecture has no token look-up node to check rows against";
    return false;
  }
  if (tap->fired) {
    fault = std::string(tensor->name) + " was computed twice in one decode";
    return false;
  }
  const int64_t rows = tensor->ne[1];
  const bool whole = rows == static_cast<int64_t>(tokens->size());
  const bool pruned = !whole && rows == n_outputs;  // the last layer keeps only the rows that have outputs
  if (tensor->type != GGML_TYPE_F32 || tensor->ne[0] != n_embd || tensor->ne[2] != 1 || tensor->ne[3] != 1 ||
      tensor->nb[0] != sizeof(float) || (!whole && !pruned)) {
    fault = std::string(tensor->name) + " has shape [" + std::to_string(tensor->ne[0]) + ", " + std::to_string(rows) +
            "], expected float32 [" + std::to_string(n_embd) + ", " + std::to_string(tokens->size()) + " or " +
            std::to_string(n_outputs) + "]";
    return false;
  }
  if (pruned) {
    for (const auto* list : {&tap->read_rows, &tap->add_rows}) {
      for (int32_t row : *list) {
        if ((*output_row)[static_cast<size_t>(row)] < 0) {
          fault = std::string(tensor->name) + " keeps output rows only, and token " + std::to_string(row) + " has no output";
          return false;
        }
      }
    }
  }
  read(*tap, tensor, pruned);
  add(*tap, tensor, pruned);
  tap->fired = true;
  if (stop_after_last && tap == &layers.back()) {
    stopped = true;
    return false;
  }
  return true;
}

void Tap::read(LayerTap& tap, ggml_tensor* tensor, bool pruned) {
  const auto width = static_cast<size_t>(n_embd);
  const size_t n_directions = tap.directions.size() / width;
  std::vector<float> row(width);
  for (size_t i = 0; i < tap.read_rows.size(); ++i) {
    const int32_t token = tap.read_rows[i];
    read_row(tensor, pruned ? (*output_row)[static_cast<size_t>(token)] : token, row.data(), n_embd);
    double square = 0;
    for (float value : row) square += static_cast<double>(value) * value;
    tap.norms[i] = static_cast<float>(std::sqrt(square));
    for (size_t k = 0; k < n_directions; ++k) {
      const float* direction = tap.directions.data() + k * width;
      double dot = 0;
      for (size_t j = 0; j < width; ++j) dot += static_cast<double>(row[j]) * direction[j];
      tap.projections[i * n_directions + k] = dot;
    }
    if (tap.keep_activations) std::memcpy(tap.activations.data() + i * width, row.data(), width * sizeof(float));
  }
}

void Tap::add(LayerTap& tap, ggml_tensor* tensor, bool pruned) {
  if (tap.add_rows.empty()) return;
  std::vector<float> row(static_cast<size_t>(n_embd));
  for (size_t i = 0; i < tap.add_rows.size(); ++i) {
    const int32_t token = tap.add_rows[i];
    const int32_t at = pruned ? (*output_row)[static_cast<size_t>(token)] : token;
    const float alpha = tap.add_alphas[i];
    const float* vector = tap.vectors.data() + static_cast<size_t>(tap.add_vectors[i]) * row.size();
    read_row(tensor, at, row.data(), n_embd);
    // The product is rounded to float32 before it is added, as a control vector scaled in advance would be.
    for (size_t j = 0; j < row.size(); ++j) {
      const float step = alpha * vector[j];
      row[j] += step;
    }
    lib().ggml_backend_tensor_set(tensor, row.data(), static_cast<size_t>(at) * tensor->nb[1], row.size() * sizeof(float));
  }
}

}  // namespace plumbline
