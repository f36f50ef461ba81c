#include "csrc/control/torch/rollout_layers.hpp"

#include <ATen/ATen.h>

#include <initializer_list>
#include <string>

#include "csrc/control/torch/checks.hpp"

namespace prefrontal::control {
namespace {

using at::Tensor;
using at::TensorList;

const std::initializer_list<const char*> kNames = {
    "self_action_weight",  "self_action_bias",  "self_weight_1",   "self_bias_1",
    "self_weight_2",       "self_bias_2",       "self_weight_3",   "self_bias_3",
    "world_action_weight", "world_action_bias", "world_weight_1",  "world_bias_1",
    "world_weight_2",      "world_bias_2",      "object_weight_1", "object_bias_1",
    "object_weight_2",     "object_bias_2"};

// Where the parts begin among the 18.
constexpr int kSelfAction = 0, kSelf = 2, kWorldAction = 8, kWorld = 10, kObject = 14, kEnd = 18;

// The layers from `at` up to `end` lead from `inputs` to `outputs` numbers.
void check_layers(TensorList all, int at, int end, c10::SymInt inputs, const c10::SymInt& outputs,
                  const Tensor& like) {
  for (; at < end; at += 2) {
    const std::string weight = std::string("parameters' ") + kNames.begin()[at];
    const std::string bias = std::string("parameters' ") + kNames.begin()[at + 1];
    expect(weight.c_str(), all[at], {at + 2 == end ? outputs : c10::SymInt(kAny), inputs}, like);
    inputs = all[at].sym_size(0);
    expect(bias.c_str(), all[at + 1], {inputs}, like);
  }
}

Tensor joined(const Tensor& z, const Tensor& action) { return at::cat({z, action}, -1); }

bool fits(const simd::Affine& layer) {
  return layer.inputs <= simd::kMostHidden && layer.units <= simd::kMostHidden;
}

}  // namespace

void check_e2(TensorList parameters, const Tensor& like, const c10::SymInt& self,
              const c10::SymInt& world, const c10::SymInt& action) {
  expect_count("parameters", parameters, kNames);
  const c10::SymInt any(kAny);
  check_layers(parameters, kSelfAction, kSelf, action, any, like);
  check_layers(parameters, kSelf, kWorldAction, self + parameters[1].sym_size(0), self, like);
  check_layers(parameters, kWorldAction, kWorld, action, any, like);
  check_layers(parameters, kWorld, kObject, world + parameters[9].sym_size(0), world, like);
  check_layers(parameters, kObject, kEnd, world + action, any, like);
}

c10::SymInt object_width(TensorList parameters) { return parameters[16].sym_size(0); }

void check_bias(const OptionalTensor& bias, const c10::SymInt& rows, TensorList parameters) {
  if (!bias.has_value()) return;
  const c10::SymInt width = object_width(parameters);
  if (bias->dim() == 1) {
    expect("bias", *bias, {width}, parameters[16]);
  } else {
    const bool shared = bias->dim() == 2 && bias->sym_size(0) == 1;
    expect("bias", *bias, {shared ? c10::SymInt(1) : rows, width}, parameters[16]);
  }
}

Tensor mlp(const Tensor& x, TensorList layers) {
  Tensor y = at::linear(x, layers[0], layers[1]);
  for (size_t at = 2; at < layers.size(); at += 2)
    y = at::linear(at::relu(y), layers[at], layers[at + 1]);
  return y;
}

Tensor next_self(const Tensor& z_self, const Tensor& action, TensorList e2) {
  const Tensor code = at::linear(action, e2[kSelfAction], e2[kSelfAction + 1]);
  return z_self + mlp(joined(z_self, code), e2.slice(kSelf, kWorldAction - kSelf));
}

Tensor next_world(const Tensor& z_world, const Tensor& action, TensorList e2) {
  const Tensor code = at::linear(action, e2[kWorldAction], e2[kWorldAction + 1]);
  return z_world + mlp(joined(z_world, code), e2.slice(kWorld, kObject - kWorld));
}

Tensor action_object(const Tensor& z_world, const Tensor& action, TensorList e2,
                     const OptionalTensor& bias) {
  const Tensor found = mlp(joined(z_world, action), e2.slice(kObject, kEnd - kObject));
  return bias.has_value() ? found + *bias : found;
}

simd::Affine layer_at(const Contiguous& tensors, size_t at) {
  const Tensor& weight = *tensors.held[at];
  return {tensors[at], tensors[at + 1], static_cast<int>(weight.size(1)),
          static_cast<int>(weight.size(0))};
}

simd::E2Layers e2_layers(const Contiguous& p) {
  return {layer_at(p, kSelfAction),
          {layer_at(p, kSelf), layer_at(p, kSelf + 2), layer_at(p, kSelf + 4)},
          layer_at(p, kWorldAction),
          {layer_at(p, kWorld), layer_at(p, kWorld + 2)},
          {layer_at(p, kObject), layer_at(p, kObject + 2)}};
}

bool fits_kernel(const simd::E2Layers& e2) {
  for (const simd::Affine& layer : e2.self)
    if (!fits(layer)) return false;
  for (const simd::Affine& layer : {e2.world[0], e2.world[1], e2.object[0], e2.object[1]})
    if (!fits(layer)) return false;
  const auto narrow = [](int numbers) { return numbers <= simd::kMostNumbers; };
  return narrow(e2.self[0].inputs) && narrow(e2.world[0].inputs) && narrow(e2.object[0].inputs) &&
         narrow(e2.object[1].units);
}

}  // namespace prefrontal::control
