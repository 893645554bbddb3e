#include "library.h"

#include <cstring>
#include <deque>
#include <mutex>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#ifndef PLUMBLINE_LLAMA_RELEASE
#error "PLUMBLINE_LLAMA_RELEASE names the llama.cpp release whose headers are compiled against"
#endif

namespace plumbline {
namespace {

constexpr size_t kLogLines = 40;
std::mutex log_mutex;
std::deque<std::string> log_lines;

void keep_log(enum ggml_log_level level, const char* text, void*) {
  if (level == GGML_LOG_LEVEL_DEBUG || text == nullptr) return;
  std::lock_guard<std::mutex> guard(log_mutex);
  // CONT lines and progress dots continue the line before them.
  if (!log_lines.empty() && (level == GGML_LOG_LEVEL_CONT || log_lines.back().back() != '\n')) {
    log_lines.back() += text;
  } else if (*text != '\0') {
    log_lines.emplace_back(text);
  }
  while (log_lines.size() > kLogLines) log_lines.pop_front();
}

#ifdef _WIN32
void* open_file(const std::string& file) { return (void*)LoadLibraryA(file.c_str()); }
void* find(void* handle, const char* name) { return (void*)GetProcAddress((HMODULE)handle, name); }
std::string last_error() { return "LoadLibrary failed with code " + std::to_string(GetLastError()); }
#else
void* open_file(const std::string& file) { return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); }
void* find(void* handle, const char* name) { return dlsym(handle, name); }
std::string last_error() {
  const char* text = dlerror();
  return text == nullptr ? "unknown error" : text;
}
#endif

}  // namespace

std::string Library::take_log() {
  std::lock_guard<std::mutex> guard(log_mutex);
  std::string all;
  for (const auto& line : log_lines) all += line;
  log_lines.clear();
  return all;
}

std::string Library::open(const std::vector<std::string>& files, const std::string& backend_dir) {
  if (is_open) return "";
  std::vector<void*> handles;
  for (const auto& file : files) {
    void* handle = open_file(file);
    if (handle == nullptr) return "cannot open " + file + ": " + last_error();
    handles.push_back(handle);
  }
  auto lookup = [&handles](const char* name) -> void* {
    for (void* handle : handles) {
      if (void* symbol = find(handle, name)) return symbol;
    }
    return nullptr;
  };
#define X(name) \
  this->name = reinterpret_cast<decltype(this->name)>(lookup(#name)); \
  if (this->name == nullptr) return std::string("the libraries have no function ") + #name;
  PLUMBLINE_FUNCTIONS(X)
#undef X
  // Structs passed by value (model and context parameters) grow between releases.
  const std::string compiled = PLUMBLINE_LLAMA_RELEASE;  // "v0.5.0"
  const std::string found = llama_version();             // "0.5.0" or "0.5.0-dev"
  if (compiled.empty() || found.rfind(compiled.substr(1), 0) != 0) {
    return "ABI: the libraries are llama.cpp " + found + ", the addon was compiled against " + compiled;
  }
  llama_log_set(keep_log, nullptr);
  ggml_backend_load_all_from_path(backend_dir.c_str());
  if (ggml_backend_dev_count() == 0) return "no backend could be loaded from " + backend_dir;
  llama_backend_init();
  is_open = true;
  return "";
}

// Never destroyed: worker threads may still log while the process exits.
Library& lib() {
  static Library* library = new Library();
  return *library;
}

}  // namespace plumbline
