#include "csrc/control/torch/overlap.hpp"

#include <ATen/MemoryOverlap.h>

#include <algorithm>

namespace prefrontal::control {

namespace {

// Fake tensors and those of torch.func have no memory of their own to look at.
constexpr c10::DispatchKeySet kOther({c10::DispatchKey::Python, c10::DispatchKey::Functionalize,
                                      c10::DispatchKey::FuncTorchBatched,
                                      c10::DispatchKey::FuncTorchGradWrapper});

bool has_memory(const at::Tensor& tensor) {
  return tensor.has_storage() && !tensor.is_meta() && !tensor.key_set().has_any(kOther);
}

}  // namespace

bool folds_upon_itself(const at::Tensor& tensor) {
  return has_memory(tensor) && at::has_internal_overlap(tensor) == at::MemOverlap::Yes;
}

void Memory::put(const at::Tensor& tensor, bool written) {
  if (!has_memory(tensor) || tensor.numel() == 0 || !tensor.is_non_overlapping_and_dense()) return;
  const auto* begin = static_cast<const char*>(tensor.const_data_ptr());
  ranges_.push_back({begin, begin + tensor.nbytes(), written});
}

bool Memory::shared() {
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  const char *end = nullptr, *end_of_written = nullptr;  // of those that begin before
  for (const Range& range : ranges_) {
    if (range.begin < (range.written ? end : end_of_written)) return true;
    end = std::max(end, range.end);
    if (range.written) end_of_written = std::max(end_of_written, range.end);
  }
  return false;
}

}  // namespace prefrontal::control
