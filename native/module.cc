#include "bindings.h"
#include "errors.h"

namespace {

// setErrorClass(errorClass: new (code: string, message: string) => Error): void
Napi::Value set_error_class(const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction()) throw Napi::TypeError::New(info.Env(), "expected a constructor");
  plumbline::set_error_class(info[0].As<Napi::Function>());
  return info.Env().Undefined();
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  exports.Set("setErrorClass", Napi::Function::New(env, set_error_class, "setErrorClass"));
  exports.Set("compiledRelease", PLUMBLINE_LLAMA_RELEASE);
#define X(js, cpp) exports.Set(#js, Napi::Function::New(env, plumbline::cpp, #js));
  PLUMBLINE_BINDINGS(X)
#undef X
  return exports;
}

}  // namespace

NODE_API_MODULE(plumbline, init)
