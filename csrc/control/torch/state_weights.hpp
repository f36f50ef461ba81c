// Lists of tensors as the kernels of csrc/simd/trajectories.hpp want them. The tensors are checked
// before, float32 and on the CPU; an object here keeps alive what the pointers point to.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "csrc/control/torch/score.hpp"
#include "csrc/simd/trajectories.hpp"

namespace prefrontal::control {

// Whether the layer whose weight is at `index` has no more units than the kernels take.
inline bool narrow(at::TensorList tensors, std::size_t index) {
  return tensors[index].size(0) <= simd::kMostHidden;
}

struct Contiguous {
  std::vector<c10::MaybeOwned<at::Tensor>> held;

  explicit Contiguous(at::TensorList tensors) {
    held.reserve(tensors.size());
    for (const at::Tensor& tensor : tensors) held.push_back(tensor.expect_contiguous());
  }
  const float* operator[](std::size_t i) const { return held[i]->const_data_ptr<float>(); }
};

struct HeadWeights {
  Contiguous from;
  simd::StateHead head = {};

  // An empty list gives a head that is not used.
  HeadWeights(at::TensorList tensors, bool sigmoid) : from(tensors) {
    if (!tensors.empty())
      head = {from[0], from[1], from[2], from[3], static_cast<int>(tensors[0].size(0)), sigmoid};
  }
};

struct ResidueWeights {
  Contiguous from;
  simd::StateResidue residue;

  ResidueWeights(at::TensorList tensors, double bandwidth)
      : from(tensors),
        residue{from[0],
                from[1],
                static_cast<int>(tensors[0].size(0)),
                static_cast<float>(0.5 / (bandwidth * bandwidth)),
                static_cast<float>(kSmoothShare),
                from[2],
                from[3],
                from[4],
                from[5],
                from[6],
                from[7],
                {static_cast<int>(tensors[2].size(0)), static_cast<int>(tensors[4].size(0))}} {}
};

}  // namespace prefrontal::control
