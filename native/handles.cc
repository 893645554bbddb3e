#include "handles.h"

#include "errors.h"
#include "library.h"

namespace plumbline {
namespace {

const napi_type_tag kModelTag = {0x706c756d626c696eULL, 0x6d6f64656c000001ULL};
const napi_type_tag kContextTag = {0x706c756d626c696eULL, 0x636f6e7465787401ULL};

Napi::FunctionReference* error_class = nullptr;

template <typename Handle>
Napi::Value wrap(Napi::Env env, std::shared_ptr<Handle> handle, const napi_type_tag& tag) {
  auto external = Napi::External<std::shared_ptr<Handle>>::New(
      env, new std::shared_ptr<Handle>(std::move(handle)),
      [](Napi::Env, std::shared_ptr<Handle>* held) { delete held; });
  external.TypeTag(&tag);
  return external;
}

template <typename Handle>
std::shared_ptr<Handle> unwrap(const Napi::Value& value, const napi_type_tag& tag, const char* what) {
  require(value.IsExternal(), what);
  auto external = value.As<Napi::External<std::shared_ptr<Handle>>>();
  require(external.CheckTypeTag(&tag), what);
  return *external.Data();
}

}  // namespace

void set_error_class(Napi::Function constructor) {
  delete error_class;
  error_class = new Napi::FunctionReference(Napi::Persistent(constructor));
  error_class->SuppressDestruct();
}

Napi::Error make_error(Napi::Env env, const std::string& code, const std::string& message) {
  if (error_class == nullptr || error_class->Value().IsEmpty()) return Napi::Error::New(env, code + ": " + message);
  Napi::Value made = error_class->New({Napi::String::New(env, code), Napi::String::New(env, message)});
  return Napi::Error(env, made);
}

ModelHandle::~ModelHandle() {
  if (model != nullptr) lib().llama_model_free(model);
}

llama_model* ModelHandle::get() const {
  if (model == nullptr) throw NativeError("DISPOSED", "the model has been disposed");
  return model;
}

const llama_vocab* ModelHandle::vocab() const { return lib().llama_model_get_vocab(get()); }

ContextHandle::~ContextHandle() {
  if (context != nullptr) lib().llama_free(context);
}

llama_context* ContextHandle::get() const {
  if (context == nullptr) throw NativeError("DISPOSED", "the context has been disposed");
  return context;
}

Napi::Value wrap_model(Napi::Env env, std::shared_ptr<ModelHandle> handle) { return wrap(env, std::move(handle), kModelTag); }
Napi::Value wrap_context(Napi::Env env, std::shared_ptr<ContextHandle> handle) { return wrap(env, std::move(handle), kContextTag); }
std::shared_ptr<ModelHandle> model_of(const Napi::Value& value) { return unwrap<ModelHandle>(value, kModelTag, "a model handle"); }
std::shared_ptr<ContextHandle> context_of(const Napi::Value& value) {
  return unwrap<ContextHandle>(value, kContextTag, "a context handle");
}

}  // namespace plumbline
