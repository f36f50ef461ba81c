// Tensors of other libraries as arguments, without linking to them: DLPack's C exchange interface
// (version 1), which a type offers as `__dlpack_c_exchange_api__`. torch does since 2.10.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <vector>

namespace prefrontal::bindings {

namespace py = pybind11;

// A DLTensor, as https://dmlc.github.io/dlpack lays it out: borrowed, until control returns to the
// owner.
struct BorrowedTensor {
  void* data;
  std::int32_t device_type, device_id;
  std::int32_t dimensions;
  std::uint8_t code, bits;
  std::uint16_t lanes;
  std::int64_t* shape;
  std::int64_t* strides;  // in numbers
  std::uint64_t byte_offset;

  float* numbers() const {
    return reinterpret_cast<float*>(static_cast<char*>(data) + byte_offset);
  }
  std::int64_t size() const;
  bool contiguous() const;
  std::string told_strides() const;
};

// Whether the type of `value` offers the interface; if so, `out` is its float32 numbers on the CPU.
// Raises TypeError (another dtype) or ValueError (another device, no numbers, as those of a fake or
// meta tensor), naming `what`. Such tensors are never touched.
bool borrow(py::handle value, const char* what, BorrowedTensor& out);

// Raises ValueError where the tensor is a negated view, whose numbers are not those in its memory:
// a look at an attribute, for calls that have the time.
void refuse_negated(py::handle tensor, const char* what);

// The numbers in C order, whatever the strides.
std::vector<float> copied(const BorrowedTensor& tensor);

}  // namespace prefrontal::bindings
