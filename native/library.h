// The llama.cpp shared libraries, opened at run time. One addon binary so serves every backend build of one
// release; a header/library mismatch would be silent memory corruption, hence the release gate in Library::open.
#pragma once

#include <string>
#include <vector>

#include "ggml-backend.h"
#include "llama.h"

#define PLUMBLINE_FUNCTIONS(X) \
  X(ggml_backend_dev_count) \
  X(ggml_backend_dev_description) \
  X(ggml_backend_dev_get) \
  X(ggml_backend_dev_memory) \
  X(ggml_backend_dev_name) \
  X(ggml_backend_dev_type) \
  X(ggml_backend_load_all_from_path) \
  X(ggml_backend_tensor_get) \
  X(ggml_backend_tensor_set) \
  X(llama_backend_init) \
  X(llama_context_default_params) \
  X(llama_decode) \
  X(llama_free) \
  X(llama_get_embeddings_seq) \
  X(llama_get_logits_ith) \
  X(llama_get_memory) \
  X(llama_init_from_model) \
  X(llama_log_set) \
  X(llama_memory_clear) \
  X(llama_memory_seq_cp) \
  X(llama_memory_seq_rm) \
  X(llama_model_chat_template) \
  X(llama_model_default_params) \
  X(llama_model_desc) \
  X(llama_model_free) \
  X(llama_model_get_vocab) \
  X(llama_model_has_decoder) \
  X(llama_model_has_encoder) \
  X(llama_model_is_diffusion) \
  X(llama_model_is_hybrid) \
  X(llama_model_is_recurrent) \
  X(llama_model_load_from_file) \
  X(llama_model_n_ctx_train) \
  X(llama_model_n_embd) \
  X(llama_model_n_embd_out) \
  X(llama_model_n_layer) \
  X(llama_model_n_params) \
  X(llama_model_n_swa) \
  X(llama_model_quantize) \
  X(llama_model_quantize_default_params) \
  X(llama_model_size) \
  X(llama_n_ctx_seq) \
  X(llama_n_seq_max) \
  X(llama_n_ubatch) \
  X(llama_print_system_info) \
  X(llama_set_adapter_cvec) \
  X(llama_token_to_piece) \
  X(llama_tokenize) \
  X(llama_version) \
  X(llama_vocab_bos) \
  X(llama_vocab_eos) \
  X(llama_vocab_get_add_bos) \
  X(llama_vocab_get_attr) \
  X(llama_vocab_get_text) \
  X(llama_vocab_is_eog) \
  X(llama_vocab_n_tokens)

namespace plumbline {

struct Library {
#define X(name) decltype(&::name) name = nullptr;
  PLUMBLINE_FUNCTIONS(X)
#undef X
  bool is_open = false;
  // The last lines that llama.cpp logged, newest last; empties itself when taken.
  std::string take_log();
  // Opens the files in the order given, fills the table and loads the backends of `backend_dir`.
  // Returns an empty string, or what went wrong. A second call with an open library does nothing.
  std::string open(const std::vector<std::string>& files, const std::string& backend_dir);
};

Library& lib();

}  // namespace plumbline
