// The tap: reads and writes the residual stream after a block ("l_out-<layer>") while a decode runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ggml-backend.h"
#include "llama.h"

namespace plumbline {

// One layer to be tapped. Rows are indices into the batch's tokens.
struct LayerTap {
  int32_t layer = 0;
  std::vector<int32_t> read_rows;
  std::vector<float> directions;  // [n_directions * n_embd]: projections <a, d> are returned per read row
  bool keep_activations = false;
  // add_alphas[i] * vectors[add_vectors[i]] is added to row add_rows[i], after the layer was read.
  std::vector<int32_t> add_rows;
  std::vector<float> add_alphas;
  std::vector<int32_t> add_vectors;
  std::vector<float> vectors;  // [n_vectors * n_embd]

  // Results, in the order of read_rows.
  std::vector<float> norms;
  std::vector<double> projections;  // [read_rows * n_directions]
  std::vector<float> activations;   // [read_rows * n_embd] when kept
  bool fired = false;
};

// State of one decode. Everything is checked before the first row of a layer is touched: a silent no-op and a wrong
// row are the classic faults of this kind of instrument.
struct Tap {
  std::vector<LayerTap> layers;  // ascending by layer
  bool stop_after_last = false;  // stop the graph after the deepest tapped layer
  int32_t n_embd = 0;
  const std::vector<llama_token>* tokens = nullptr;  // the batch, in row order
  const std::vector<int32_t>* output_row = nullptr;  // token -> output index, -1 for tokens without output
  int32_t n_outputs = 0;
  bool tokens_checked = false;
  bool stopped = false;
  std::string fault;

  void begin(const std::vector<llama_token>& batch_tokens, const std::vector<int32_t>& output_rows, int32_t outputs);
  static bool callback(ggml_tensor* tensor, bool ask, void* self);

 private:
  bool want(const ggml_tensor* tensor);
  bool visit(ggml_tensor* tensor);
  void check_tokens(const ggml_tensor* ids);
  void read(LayerTap& tap, ggml_tensor* tensor, bool pruned);
  void add(LayerTap& tap, ggml_tensor* tensor, bool pruned);
  LayerTap* find(const char* name);
};

}  // namespace plumbline
