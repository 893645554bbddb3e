// Errors cross into JavaScript as the class that JavaScript hands in (setErrorClass), with a code of its closed list.
#pragma once

#include <napi.h>

#include <stdexcept>
#include <string>

namespace plumbline {

// What worker threads throw; turned into the JavaScript class on the main thread.
struct NativeError : std::runtime_error {
  std::string code;
  NativeError(std::string code_, const std::string& message) : std::runtime_error(message), code(std::move(code_)) {}
};

void set_error_class(Napi::Function constructor);
Napi::Error make_error(Napi::Env env, const std::string& code, const std::string& message);

// Argument checks that read like sentences. The TypeScript side has already validated for users; these keep memory safe.
inline void require(bool holds, const char* what) {
  if (!holds) throw NativeError("NATIVE_ARGUMENT", std::string("expected ") + what);
}

// Runs a binding body; a NativeError becomes the JavaScript error.
template <typename Body>
Napi::Value guarded(const Napi::CallbackInfo& info, Body body) {
  try {
    return body();
  } catch (const NativeError& error) {
    throw make_error(info.Env(), error.code, error.what());
  }
}

template <typename Array>
Array typed(const Napi::Value& value, napi_typedarray_type type, const char* what) {
  require(value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == type, what);
  return value.As<Array>();
}

inline Napi::Int32Array int32s(const Napi::Value& value, const char* what) {
  return typed<Napi::Int32Array>(value, napi_int32_array, what);
}

inline Napi::Float32Array float32s(const Napi::Value& value, const char* what) {
  return typed<Napi::Float32Array>(value, napi_float32_array, what);
}

inline int32_t int32(const Napi::Value& value, const char* what) {
  require(value.IsNumber(), what);
  const double number = value.As<Napi::Number>().DoubleValue();
  require(number >= -2147483648.0 && number <= 2147483647.0 && number == static_cast<double>(static_cast<int32_t>(number)), what);
  return static_cast<int32_t>(number);
}

inline bool boolean(const Napi::Value& value, const char* what) {
  require(value.IsBoolean(), what);
  return value.As<Napi::Boolean>().Value();
}

inline std::string text(const Napi::Value& value, const char* what) {
  require(value.IsString(), what);
  return value.As<Napi::String>().Utf8Value();
}

}  // namespace plumbline
