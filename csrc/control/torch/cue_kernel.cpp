#include <ATen/EmptyTensor.h>

#include <cmath>

#include "csrc/control/torch/cue.hpp"
#include "csrc/simd/exponential.hpp"
#include "csrc/simd/operator_dispatch.hpp"

namespace prefrontal::control {

using at::Tensor;

namespace {

Tensor empty(at::IntArrayRef sizes) {
  return at::detail::empty_cpu(sizes, at::kFloat, std::nullopt, std::nullopt, std::nullopt,
                               std::nullopt);
}

simd::CueTensors<float> written(const std::vector<Tensor>& all, const CueInputs& in) {
  std::size_t at = 0;
  const auto next = [&](bool there = true) {
    return there ? all[at++].mutable_data_ptr<float>() : nullptr;
  };
  const bool heads = bool(in.heads), action = heads && in.heads.action_weight;
  simd::CueTensors<float> into{};
  for (float** each :
       {&into.x, &into.memory, &into.query_weight, &into.query_bias, &into.key_weight,
        &into.value_weight, &into.value_bias, &into.output_weight, &into.output_bias})
    *each = next();
  into.action_weight = next(action);
  into.action_bias = next(action);
  into.terrain_weight = next(heads);
  into.terrain_bias = next(heads);
  into.key_bias = next(in.key_bias.has_value());
  return into;
}

std::vector<Tensor> empty_gradients(const CueInputs& in) {
  std::vector<Tensor> out;
  out.reserve(15);
  for (const Tensor* each : in.tensors())
    if (each) out.push_back(empty(each->sizes()));
  for (const OptionalTensor* each : {&in.key_bias, &in.log_tau})
    if (*each) out.push_back(empty((*each)->sizes()));
  return out;
}

}  // namespace

Tensor rows_like(const Tensor& x, int64_t columns) {
  const int64_t sizes[] = {x.size(0), columns};
  return empty(sizes);
}

const float* Numbers::operator()(const Tensor& tensor) {
  if (tensor.is_contiguous()) return tensor.const_data_ptr<float>();
  copies_.push_back(tensor.contiguous());
  return copies_.back().const_data_ptr<float>();
}

CueCall::CueCall(const CueInputs& in) : learns_tau_(in.log_tau.has_value()) {
  shape_.rows = in.x.size(0);
  shape_.depth = static_cast<int>(in.slots.size(1));
  shape_.inputs = static_cast<int>(in.x.size(1));
  shape_.context = static_cast<int>(in.output_weight.size(0));
  shape_.heads = bool(in.heads);
  shape_.direct = in.heads && in.heads.action_weight &&
                  in.heads.action_weight->size(1) != in.output_weight.size(0);
  shape_.cosine = in.cosine;
  shape_.tempered = learns_tau_;
  double tau = std::sqrt(static_cast<double>(shape_.depth));
  if (learns_tau_) {
    log_tau_ = static_cast<double>(*numbers_(*in.log_tau));
    tau = simd::exponential(log_tau_) + 1e-3;
  }
  shape_.sharpness = static_cast<float>((in.cosine ? shape_.depth : 1.0) / tau);
  const CueHeads& heads = in.heads;
  tensors_ = {numbers_(in.x),
              numbers_(in.slots),
              numbers_(in.query_weight),
              numbers_(in.query_bias),
              numbers_(in.key_weight),
              numbers_(in.value_weight),
              numbers_(in.value_bias),
              numbers_(in.output_weight),
              numbers_(in.output_bias),
              numbers_(heads.action_weight),
              numbers_(heads.action_bias),
              numbers_(heads.terrain_weight),
              numbers_(heads.terrain_bias),
              numbers_(in.key_bias)};
  const long floats = simd::operator_kernels().cue_training->scratch(shape_);
  scratch_.reset(new float[static_cast<std::size_t>(floats)]);
}

void CueCall::forward(const simd::CueOutputs& out) const {
  simd::operator_kernels().cue_training->forward(shape_, tensors_, out, scratch_.get());
}

float CueCall::backward(const simd::CueOutputs& out, const simd::CueOutputGradients& gradients,
                        const simd::CueTensors<float>& into) const {
  const float sharper = simd::operator_kernels().cue_training->backward(
      shape_, tensors_, out, gradients, into, scratch_.get());
  if (!learns_tau_) return 0.0f;
  const double exponential = simd::exponential(log_tau_), tau = exponential + 1e-3;
  return static_cast<float>(-static_cast<double>(sharper) * shape_.sharpness * exponential / tau);
}

std::vector<Tensor> gradients(const CueInputs& in, const simd::CueOutputs& out,
                              const simd::CueOutputGradients& of_outputs) {
  const CueCall call(in);
  std::vector<Tensor> all = empty_gradients(in);
  const float log_tau = call.backward(out, of_outputs, written(all, in));
  if (in.log_tau) *all.back().mutable_data_ptr<float>() = log_tau;
  return all;
}

}  // namespace prefrontal::control
