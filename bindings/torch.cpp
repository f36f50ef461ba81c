// Table of contents of prefrontal._torch: importing it registers the operators. torch must have
// been imported before. Bound here are direct calls, a few tenths of a microsecond shorter than
// through torch's dispatcher: no autograd, no tracing, no modes.
#include <pybind11/pybind11.h>
#include <torch/csrc/autograd/python_variable.h>

#include <string>

#include "csrc/control/torch/cue_folded.hpp"

namespace py = pybind11;

namespace {

const at::Tensor& tensor(py::handle value, const char* name) {
  if (!THPVariable_Check(value.ptr()))
    throw py::type_error(std::string(name) + " must be a torch.Tensor, got " +
                         py::type::of(value).attr("__name__").cast<std::string>());
  return THPVariable_Unpack(value.ptr());
}

// Tensors whose memory is not, or not yet, what they stand for.
constexpr c10::DispatchKeySet kOther({c10::DispatchKey::Python, c10::DispatchKey::FuncTorchBatched,
                                      c10::DispatchKey::FuncTorchGradWrapper,
                                      c10::DispatchKey::Functionalize, c10::DispatchKey::Negative,
                                      c10::DispatchKey::Conjugate, c10::DispatchKey::ZeroTensor});

// A tensor with numbers in this process's memory; fake ones and other subclasses have none to give.
const at::Tensor& numbers(py::handle value, const char* name) {
  const at::Tensor& given = tensor(value, name);
  if (!given.device().is_cpu() || !given.has_storage() || given.key_set().has_any(kOther))
    throw py::value_error(std::string(name) +
                          " must be a plain tensor on the CPU; torch.ops.prefrontal takes others");
  return given;
}

void folded_cue_context_out(py::handle z, py::handle folded, py::handle action,
                            py::handle terrain) {
  at::Tensor actions = numbers(action, "action"), terrains = numbers(terrain, "terrain");
  prefrontal::control::folded_cue_context_out(numbers(z, "z"), numbers(folded, "folded"), actions,
                                              terrains);
}

}  // namespace

PYBIND11_MODULE(_torch, m) {
  m.doc() = "The operators of prefrontal for torch.";
  m.attr("__version__") = PREFRONTAL_VERSION;
  m.attr("torch_version") = PREFRONTAL_TORCH_VERSION;  // what it was built against
  m.def("folded_cue_context_out", &folded_cue_context_out, py::arg("z"), py::arg("folded"),
        py::arg("action"), py::arg("terrain"));
}
