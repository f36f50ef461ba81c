// prefrontal._torch: importing it registers the operators. torch must have been imported before.
#include <pybind11/pybind11.h>

PYBIND11_MODULE(_torch, m) {
  m.doc() = "The operators of prefrontal for torch.";
  m.attr("__version__") = PREFRONTAL_VERSION;
  m.attr("torch_version") = PREFRONTAL_TORCH_VERSION;  // what it was built against
}
