// Whether tensors that are written into share memory with others.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

namespace prefrontal::control {

// Whether several numbers of the tensor lie at one place, as in an expanded one.
bool folds_upon_itself(const at::Tensor& tensor);

// Which memory a call writes and reads. Tensors that do not fill theirs densely, or have none in
// this process, are not looked at.
class Memory {
 public:
  void writes(const at::Tensor& tensor) { put(tensor, true); }
  void reads(const at::Tensor& tensor) { put(tensor, false); }
  // Whether something that is written is read or written for another tensor too; once.
  bool shared();

 private:
  struct Range {
    const char* begin;
    const char* end;
    bool written;
  };

  void put(const at::Tensor& tensor, bool written);

  c10::SmallVector<Range, 32> ranges_;
};

}  // namespace prefrontal::control
