#include "float_blocks.hpp"

#include <climits>

#include "arrays.hpp"
#include "dlpack.hpp"

namespace prefrontal::bindings {

namespace {

constexpr int kPlain = int{py::array::c_style} | int{py::detail::npy_api::NPY_ARRAY_ALIGNED_};

constexpr py::ssize_t kMost = INT_MAX / 4;

bool native_float32(const py::array& array) { return py::isinstance<py::array_t<float, 0>>(array); }

// Says what is wrong, where something is.
void check(py::handle value, const char* what, bool written) {
  const std::string rule = std::string(what) + " must be ";
  if (!py::isinstance<py::array>(value))
    throw py::type_error(rule + "a numpy array of float32, got " + type_name(value));
  const auto array = py::reinterpret_borrow<py::array>(value);
  if (!native_float32(array))
    throw py::type_error(rule + "an array of float32, got " + described(array));
  if (array.ndim() < 1 || array.ndim() > 3)
    throw py::value_error(rule + "an array of 1 to 3 dimensions, got " + described(array));
  if ((array.flags() & kPlain) != kPlain)
    throw py::value_error(rule + "contiguous in C order and aligned, as numpy.require(" + what +
                          ", requirements=['C', 'A']) makes it, got strides " +
                          py::str(array.attr("strides")).cast<std::string>());
  if (written && !array.writeable())
    throw py::value_error(rule + "writable, got a read-only array");
}

void check_size(py::ssize_t size, const char* what) {
  if (size > kMost)
    throw py::value_error(std::string(what) + " must be at most 536870911 numbers long, got " +
                          std::to_string(size));
}

bool wants_gradient(py::handle tensor) {
  static PyObject* const name = PyUnicode_InternFromString("requires_grad");
  const auto told = py::reinterpret_steal<py::object>(PyObject_GetAttr(tensor.ptr(), name));
  PyErr_Clear();
  return told && told.ptr() != Py_False;
}

// A tensor of torch, or of another library with DLPack's exchange interface.
FloatBlock tensor_block(const BorrowedTensor& tensor, py::handle value, const char* what,
                        bool written) {
  const auto rule = [what](const char* rest) { return std::string(what) + " must be " + rest; };
  if (tensor.dimensions < 1 || tensor.dimensions > 3)
    throw py::value_error(rule("an array of 1 to 3 dimensions, got one of ") +
                          std::to_string(tensor.dimensions));
  const bool aligned = reinterpret_cast<std::uintptr_t>(tensor.numbers()) % sizeof(float) == 0;
  if (!tensor.contiguous() || !aligned)
    throw py::value_error(rule("contiguous in C order and aligned, as ") + what +
                          ".contiguous() makes it, got strides " + tensor.told_strides());
  if (written && wants_gradient(value))
    throw py::value_error(rule("free of gradients to be written into, got one that requires one"));
  FloatBlock block{tensor.numbers(), tensor.dimensions, {}};
  for (int i = 0; i < tensor.dimensions; ++i) block.shape[i] = tensor.shape[i];
  check_size(tensor.size(), what);
  return block;
}

}  // namespace

FloatBlock float_block(py::handle value, const char* what, bool written) {
  static const PyObject* const float32 = py::dtype::of<float>().release().ptr();
  const int needed = kPlain | (written ? int{py::detail::npy_api::NPY_ARRAY_WRITEABLE_} : 0);
  const bool is_array = py::detail::npy_api::get().PyArray_Check_(value.ptr());
  const auto* array = is_array ? py::detail::array_proxy(value.ptr()) : nullptr;
  BorrowedTensor tensor;
  if (!is_array && borrow(value, what, tensor)) return tensor_block(tensor, value, what, written);
  // Nearly every array has NumPy's own float32 as its type; the others take the longer way.
  if (!array || array->descr != float32 || (array->flags & needed) != needed || array->nd < 1 ||
      array->nd > 3)
    check(value, what, written);
  FloatBlock block{reinterpret_cast<float*>(array->data), array->nd, {}};
  py::ssize_t size = 1;
  for (int i = 0; i < array->nd; ++i) size *= block.shape[i] = array->dimensions[i];
  check_size(size, what);
  return block;
}

void refuse_shape(const char* what, const std::string& rule, py::handle value) {
  throw py::value_error(std::string(what) + " must be of shape " + rule + ", got " +
                        py::str(py::tuple(py::list(value.attr("shape")))).cast<std::string>());
}

FloatRows float_rows(py::handle value, const char* what, py::ssize_t columns) {
  const FloatBlock block = float_block(value, what);
  const bool vector = block.is(columns);
  if (!vector && !block.is(kAny, columns)) {
    const std::string width = std::to_string(columns);
    refuse_shape(what, "(" + width + ",) or (rows, " + width + ")", value);
  }
  return {block.data, vector ? 1 : static_cast<int>(block.shape[0]), vector};
}

py::array_t<float> result_for(const FloatRows& rows, py::ssize_t columns) {
  if (rows.vector) return py::array_t<float>(columns);
  return py::array_t<float>({static_cast<py::ssize_t>(rows.rows), columns});
}

float* given_for(const FloatRows& rows, py::ssize_t columns, py::handle value, const char* what,
                 py::ssize_t read_columns) {
  const FloatBlock block = float_block(value, what, true);
  if (rows.vector ? !block.is(columns) : !block.is(rows.rows, columns)) {
    const std::string width = std::to_string(columns);
    refuse_shape(
        what,
        rows.vector ? "(" + width + ",)" : "(" + std::to_string(rows.rows) + ", " + width + ")",
        value);
  }
  const float* read_end = rows.data + rows.rows * read_columns;
  if (block.data < read_end && rows.data < block.data + rows.rows * columns)
    throw py::value_error(std::string(what) +
                          " must not overlap what is read, got the same memory");
  return block.data;
}

py::array shared_view(float* data, std::vector<py::ssize_t> shape, py::handle owner,
                      bool writable) {
  py::array view(py::dtype::of<float>(), std::move(shape), data, owner);
  if (!writable) view.attr("flags").attr("writeable") = false;
  return view;
}

}  // namespace prefrontal::bindings
