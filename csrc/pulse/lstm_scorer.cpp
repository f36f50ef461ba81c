#include "csrc/pulse/lstm_scorer.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "csrc/pulse/feature_vector.hpp"
#include "csrc/simd/dispatch.hpp"
#include "csrc/simd/exp.hpp"
#include "csrc/simd/log.hpp"

namespace prefrontal::pulse {
namespace {

using simd::kInputs;
static_assert(kInputs == kFeatureDim);

constexpr int kMinutes = 7;  // the slot
constexpr double kDayMinutes = 1440.0;
constexpr double kLearningRate = 1e-3;
constexpr const char* kSlots[kInputs] = {
    "magnitude",   "delta type",   "source",         "hour sine",
    "hour cosine", "weekday sine", "weekday cosine", "idle minutes",
    "size",        "depth",        "extension",      "value length",
    "key",         "status code",  "answer changed", "namespace or endpoint"};

float bounded(float value) {
  return std::isnan(value) ? 0.0F : std::clamp(value, -1000.0F, 1000.0F);
}

float day_scale(double minutes) {
  if (!(minutes > 0.0)) return 0.0F;
  const double least = std::min(minutes, 1e12);
  return static_cast<float>(simd::natural_log(1.0 + least) / simd::natural_log(1.0 + kDayMinutes));
}

// By squaring: libm's pow may differ by an ulp from one processor to the next.
double power(double base, std::uint64_t exponent) {
  double result = 1.0;
  for (; exponent > 0; exponent /= 2, base *= base) {
    if (exponent % 2 == 1) result *= base;
  }
  return result;
}

float logit_of(const simd::Lstm& net, const Inputs& inputs) {
  const simd::LstmKernels& lstm = *simd::kernels().lstm;
  simd::LstmState state;
  for (std::size_t at = 0; at < inputs.size(); at += kInputs)
    lstm.step(net, &inputs[at], at == 0, state, nullptr);
  return lstm.logit(net, state.h);
}

}  // namespace

Inputs lstm_inputs(const Window& window) {
  Inputs inputs(window.size() * kInputs);
  for (std::size_t i = 0; i < window.size(); ++i) {
    float* x = &inputs[i * kInputs];
    feature_vector(window[i], x);
    x[kMinutes] = day_scale(static_cast<double>(x[kMinutes]));
    std::transform(x, x + kInputs, x, bounded);
  }
  return inputs;
}

LstmScorer::Module* LstmScorer::find(const std::string& module) {
  const auto found = modules_.find(module);
  return found == modules_.end() ? nullptr : &found->second;
}

const LstmScorer::Module* LstmScorer::find(const std::string& module) const {
  const auto found = modules_.find(module);
  return found == modules_.end() ? nullptr : &found->second;
}

float LstmScorer::score(const std::string& name, const Inputs& inputs) const {
  std::shared_lock lock(mutex_);
  const Module* module = find(name);
  if (module == nullptr || inputs.empty()) return 0.0F;
  return simd::sigmoid_of(logit_of(*module->net, inputs));
}

LstmScorer::Scores LstmScorer::score_all(const Inputs& inputs) const {
  std::shared_lock lock(mutex_);
  Scores scores{names_, {}};
  scores.values.reserve(modules_.size());
  for (const auto& [name, module] : modules_) {
    scores.values.push_back(inputs.empty() ? 0.0F
                                           : simd::sigmoid_of(logit_of(*module.net, inputs)));
  }
  return scores;
}

LstmScorer::Scores LstmScorer::score_some(std::span<const std::string> asked,
                                          const Inputs& inputs) const {
  std::shared_lock lock(mutex_);
  auto names = std::make_shared<std::vector<std::string>>();
  Scores scores;
  for (const std::string& name : asked) {
    const Module* module = find(name);
    if (module == nullptr) continue;
    names->push_back(name);
    scores.values.push_back(inputs.empty() ? 0.0F
                                           : simd::sigmoid_of(logit_of(*module->net, inputs)));
  }
  scores.modules = std::move(names);
  return scores;
}

float LstmScorer::score_stream(const std::string& name, const Inputs& inputs) {
  std::unique_lock lock(mutex_);
  Module* module = find(name);
  if (module == nullptr) return 0.0F;
  if (!module->stream) module->stream = std::make_unique<simd::LstmState>();
  const simd::LstmKernels& lstm = *simd::kernels().lstm;
  for (std::size_t at = 0; at < inputs.size(); at += kInputs)
    lstm.step(*module->net, &inputs[at], false, *module->stream, nullptr);
  return simd::sigmoid_of(lstm.logit(*module->net, module->stream->h));
}

void LstmScorer::forget_stream(const std::string& name) {
  std::unique_lock lock(mutex_);
  if (Module* module = find(name)) module->stream.reset();
}

bool LstmScorer::learn(const std::string& name, const Inputs& inputs, float label) {
  std::unique_lock lock(mutex_);
  Module* module = find(name);
  if (module == nullptr || inputs.empty()) return false;
  const simd::LstmKernels& lstm = *simd::kernels().lstm;
  if (!module->moments) module->moments = std::make_unique<Moments>();
  const std::size_t steps = inputs.size() / kInputs;
  std::vector<simd::LstmTape> tape(steps);
  simd::LstmState state;
  for (std::size_t t = 0; t < steps; ++t)
    lstm.step(*module->net, &inputs[t * kInputs], t == 0, state, &tape[t]);
  const float error = simd::sigmoid_of(lstm.logit(*module->net, state.h)) - label;

  module->labels += 1;
  const simd::AdamStep adam{static_cast<float>(kLearningRate / (1.0 - power(0.9, module->labels))),
                            static_cast<float>(std::sqrt(1.0 - power(0.999, module->labels)))};
  lstm.backward(*module->net, error, tape.data(), static_cast<int>(steps));
  lstm.adam(*module->net, module->moments->mean, module->moments->energy, error, state.h,
            tape.data(), static_cast<int>(steps), adam);
  return true;
}

std::vector<Contribution> LstmScorer::contributions(const std::string& name,
                                                    const Inputs& inputs) const {
  std::shared_lock lock(mutex_);
  std::vector<Contribution> found;
  const Module* module = find(name);
  if (module == nullptr || inputs.empty()) return found;
  const float whole = logit_of(*module->net, inputs);
  for (int slot = 0; slot < kInputs; ++slot) {
    Inputs without = inputs;
    for (std::size_t at = 0; at < inputs.size(); at += kInputs)
      without[at + static_cast<std::size_t>(slot)] = 0.0F;
    const float weight = whole - logit_of(*module->net, without);
    if (weight != 0.0F) found.push_back({kSlots[slot], weight});
  }
  std::sort(found.begin(), found.end(), [](const Contribution& a, const Contribution& b) {
    const float left = std::fabs(a.weight);
    const float right = std::fabs(b.weight);
    return left != right ? left > right : a.name < b.name;
  });
  return found;
}

}  // namespace prefrontal::pulse
