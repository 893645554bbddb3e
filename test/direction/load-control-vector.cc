// Loads a control-vector file with llama.cpp's own loader and prints what it holds: n_embd, the number of floats, then
// each float's bits in hexadecimal. argv: the folder of the libraries, the file. Exit 1: the loader refused the file.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

// As in common/common.h of the release that node-llama-cpp ships.
struct common_control_vector_load_info {
  float strength;
  std::string fname;
};
struct common_control_vector_data {
  int n_embd;
  std::vector<float> data;
};
using Loader = common_control_vector_data (*)(const std::vector<common_control_vector_load_info>&);

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* library = dlopen((std::string(argv[1]) + "/libllama-common.so").c_str(), RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  auto load = reinterpret_cast<Loader>(
      dlsym(library, "_Z26common_control_vector_loadRKSt6vectorI31common_control_vector_load_infoSaIS0_EE"));
  if (load == nullptr) return 3;
  const common_control_vector_data result = load({{1.0f, argv[2]}});
  if (result.n_embd == -1) return 1;
  std::printf("%d %zu\n", result.n_embd, result.data.size());
  for (float value : result.data) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    std::printf("%08x\n", bits);
  }
  std::fflush(stdout);
  return 0;
}
