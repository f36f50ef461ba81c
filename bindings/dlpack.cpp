#include "dlpack.hpp"

#include <array>
#include <string>

namespace prefrontal::bindings {

namespace {

constexpr std::int32_t kCpu = 1;
constexpr std::uint8_t kFloat = 2;
constexpr std::uint32_t kVersion = 1;

struct Exchange {
  std::uint32_t major, minor;
  Exchange* older;
  void* unused[3];
  int (*borrow)(void* value, BorrowedTensor* out);  // may be null
};

struct Known {
  PyTypeObject* type;
  const Exchange* api;  // null: the type does not offer the interface
  bool plain;           // its tensors are what they seem; those of a fake one are empty shells
};

py::object attribute(PyTypeObject* type, const char* name) {
  auto* const got = PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), name);
  PyErr_Clear();
  return py::reinterpret_steal<py::object>(got);
}

Known ask(PyTypeObject* type) {
  const py::object offered = attribute(type, "__dlpack_c_exchange_api__");
  if (!offered || !PyCapsule_IsValid(offered.ptr(), "dlpack_exchange_api"))
    return {type, nullptr, true};
  auto* api = static_cast<Exchange*>(PyCapsule_GetPointer(offered.ptr(), "dlpack_exchange_api"));
  while (api && api->major != kVersion) api = api->older;
  // A subclass of torch.Tensor that dispatches for itself does so in Python.
  const py::object own = attribute(type, "__torch_dispatch__");
  return {type, api && api->borrow ? api : nullptr, !own || PyCFunction_Check(own.ptr())};
}

// A type is asked once, and kept alive where it offers the interface.
Known known(PyTypeObject* type) {
  static std::array<Known, 4> all{};  // under the GIL
  static std::size_t next = 0;
  for (const Known& each : all)
    if (each.type == type) return each;
  const Known asked = ask(type);
  if (!asked.api) return asked;
  Py_INCREF(type);
  Known& place = all[next++ % all.size()];
  Py_XDECREF(place.type);
  return place = asked;
}

std::string told_shape(py::handle value) {
  return py::str(py::tuple(py::list(value.attr("shape")))).cast<std::string>();
}

[[noreturn]] void refuse(py::handle value, const std::string& rule, const std::string& why) {
  const auto name = py::type::of(value).attr("__name__").cast<std::string>();
  throw py::value_error(rule + ", got " + name + " " + why +
                        "; torch.ops.prefrontal takes tensors of every kind");
}

// What the owner said against it.
std::string objection() {
  const py::error_already_set error;
  const auto text = py::str(error.value()).cast<std::string>();
  return "(" + text.substr(0, text.find('\n')) + ")";
}

}  // namespace

std::int64_t BorrowedTensor::size() const {
  std::int64_t numbers = 1;
  for (int i = 0; i < dimensions; ++i) numbers *= shape[i];
  return numbers;
}

std::string BorrowedTensor::told_strides() const {
  std::string text;
  for (int i = 0; i < dimensions; ++i)
    text += (i ? ", " : "(") + std::to_string(strides ? strides[i] : 1);
  return text + ")";
}

bool BorrowedTensor::contiguous() const {
  std::int64_t step = 1;
  for (int i = dimensions - 1; strides && i >= 0; --i) {
    if (shape[i] != 1 && strides[i] != step) return size() == 0;
    step *= shape[i];
  }
  return true;
}

bool borrow(py::handle value, const char* what, BorrowedTensor& out) {
  const Known owner = known(Py_TYPE(value.ptr()));
  if (!owner.api) return false;
  const auto rule = [what](const char* rest) { return std::string(what) + " must be " + rest; };
  if (!owner.plain) refuse(value, rule("a plain tensor"), "(which dispatches for itself)");
  if (owner.api->borrow(value.ptr(), &out) != 0)
    refuse(value, rule("a dense tensor on the CPU"), objection());
  if (out.code != kFloat || out.bits != 32 || out.lanes != 1)
    throw py::type_error(rule("an array of float32") + ", got " +
                         py::str(value.attr("dtype")).cast<std::string>() + " of shape " +
                         told_shape(value));
  if (out.device_type != kCpu)
    refuse(value, rule("on the CPU"), "on " + py::str(value.attr("device")).cast<std::string>());
  if (!out.data && out.size() != 0) refuse(value, rule("a tensor with numbers"), "without any");
  return true;
}

void refuse_negated(py::handle tensor, const char* what) {
  if (py::hasattr(tensor, "is_neg") && tensor.attr("is_neg")().cast<bool>())
    refuse(tensor, std::string(what) + " must be a tensor as it lies in memory",
           "(which is negated when read; resolve_neg() writes it out)");
}

std::vector<float> copied(const BorrowedTensor& tensor) {
  std::vector<float> out(static_cast<std::size_t>(tensor.size()));
  for (std::size_t at = 0; at < out.size(); ++at) {
    std::int64_t rest = static_cast<std::int64_t>(at), from = 0, step = 1;
    for (int i = tensor.dimensions - 1; i >= 0; --i) {
      from += rest % tensor.shape[i] * (tensor.strides ? tensor.strides[i] : step);
      rest /= tensor.shape[i];
      step *= tensor.shape[i];
    }
    out[at] = tensor.numbers()[from];
  }
  return out;
}

}  // namespace prefrontal::bindings
