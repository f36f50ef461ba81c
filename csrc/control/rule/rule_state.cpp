#include "csrc/control/rule/rule_state.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "csrc/simd/dispatch.hpp"

namespace prefrontal::control {

using namespace simd;  // its widths

namespace {

std::shared_ptr<const RuleTable> tabled(const RuleOptions& options, const Parameters& from) {
  auto table = std::make_shared<RuleTable>();
  const double pool = options.world_pool_weight;
  for (int i = 0; i < kRule; ++i) {
    for (int j = 0; j < kSummary; ++j) {
      table->source[j][i] = from[0][i * kSummary + j];
      table->source[kSummary + j][i] = static_cast<float>(pool * from[2][i * kSummary + j]);
    }
    table->source_start[i] = static_cast<float>(from[1][i] + pool * from[3][i]);
  }
  const int columns = static_cast<int>(from[4].size()) / kHidden;
  for (int i = 0; i < kHidden; ++i) {
    for (int j = 0; j < columns; ++j)
      (j < kRule ? table->rule[j] : table->summary[j - kRule])[i] = from[4][i * columns + j];
    table->start[i] = from[5][i];
    table->head[i] = from[6][i];
  }
  table->head_start = from[7][0];
  table->scale = static_cast<float>(options.bias_scale);
  table->offset = options.form == BiasForm::gain ? 1.0f : 0.0f;
  table->smooth = options.smooth;
  return table;
}

double clipped(double value, const char* name) {
  if (std::isnan(value))
    throw std::invalid_argument(std::string(name) + " must be a number, got nan");
  return std::clamp(value, 0.0, 1.0);
}

// The mean of the rows in each column, summed in double.
void mean(const float* x, int rows, float* out) {
  double sum[kSummary] = {};
  for (int row = 0; row < rows; ++row)
    for (int j = 0; j < kSummary; ++j) sum[j] += static_cast<double>(x[row * kSummary + j]);
  for (int j = 0; j < kSummary; ++j) out[j] = static_cast<float>(sum[j] / rows);
}

}  // namespace

RuleState::RuleState(const RuleOptions& options, Parameters parameters) : options_(options) {
  check(options);
  rule_.resize(static_cast<std::size_t>(rules()) * kRule);
  moved_ = rule_;
  hidden_.resize(static_cast<std::size_t>(rules()) * kHidden);
  refresh(std::move(parameters));
}

void RuleState::refresh(Parameters parameters) {
  table_ = tabled(options_, parameters);
  parameters_ = std::move(parameters);
  for (int rule = 0; rule < rules(); ++rule) share(rule);
}

std::vector<std::string_view> RuleState::changed(const Parameters& parameters) const {
  std::vector<std::string_view> names;
  const std::vector<NamedShape> shapes = rule_shapes(options_);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto &mine = parameters_[i], &given = parameters[i];
    if (std::memcmp(mine.data(), given.data(), mine.size() * sizeof(float)) != 0)
      names.push_back(shapes[i].name);
  }
  return names;
}

double RuleState::step(double gate, double override) const {
  const double open = clipped(gate, "gate");
  const double forced = clipped(override, "override");
  return options_.update_eta * open * (1.0 + options_.override_gain * forced);
}

void RuleState::update(const float* z_delta, const float* z_world, int rows,
                       std::span<const double> gates, std::span<const double> overrides) {
  float means[2][kSummary];
  if (options_.environments == 0 && rows > 1) {
    mean(z_delta, rows, means[0]);
    mean(z_world, rows, means[1]);
    z_delta = means[0];
    z_world = means[1];
  }
  std::copy(rule_.begin(), rule_.end(), moved_.begin());
  for (int i = 0; i < rules(); ++i) {
    const double e = step(gates.size() > 1 ? gates[i] : gates[0],
                          overrides.size() > 1 ? overrides[i] : overrides[0]);
    if (e == 0.0) continue;  // a shut gate holds the rule to the bit, whatever comes
    if (!kernels().rule->update(*table_, z_delta + i * kSummary, z_world + i * kSummary,
                                static_cast<float>(1.0 - e), static_cast<float>(e),
                                moved_.data() + i * kRule))
      throw std::invalid_argument("z_delta and z_world must give a finite rule, got NaN or " +
                                  std::string("infinity in row ") + std::to_string(i));
  }
  rule_.swap(moved_);
  for (int i = 0; i < rules(); ++i) share(i);
}

void RuleState::share(int rule) {
  kernels().rule->shared(*table_, rule_.data() + rule * kRule, hidden_.data() + rule * kHidden);
}

RuleView RuleState::view() const {
  return {table_, hidden_.data(), options_.form == BiasForm::uniform, options_.centred};
}

void RuleView::bias(const float* summaries, int rules, int n, float* biases) const {
  std::vector<float> centred_rows(centred && !uniform && n > 1 ? n * kSummary : 0);
  for (int i = 0; i < rules; ++i) {
    const float* from = summaries + static_cast<std::ptrdiff_t>(i) * n * kSummary;
    if (!centred_rows.empty()) {
      float middle[kSummary];
      mean(from, n, middle);
      for (int at = 0; at < n * kSummary; ++at) centred_rows[at] = from[at] - middle[at % kSummary];
      from = centred_rows.data();
    }
    kernels().rule->bias(*table, hidden + i * kHidden, uniform ? nullptr : from, n,
                         biases + static_cast<std::ptrdiff_t>(i) * n);
  }
}

void RuleState::set_rule(std::span<const float> rule) {
  for (float value : rule) {
    if (!std::isfinite(value))
      throw std::invalid_argument("rule must be finite, got " + std::to_string(value));
  }
  std::copy(rule.begin(), rule.end(), rule_.begin());
  for (int i = 0; i < rules(); ++i) share(i);
}

void RuleState::reset() {
  std::fill(rule_.begin(), rule_.end(), 0.0f);
  for (int i = 0; i < rules(); ++i) share(i);
}

void RuleState::reset(long environment) {
  if (environment < 0 || environment >= rules())
    throw std::invalid_argument("environment must be 0 to " + std::to_string(rules() - 1) +
                                ", got " + std::to_string(environment));
  std::fill_n(rule_.begin() + environment * kRule, kRule, 0.0f);
  share(static_cast<int>(environment));
}

}  // namespace prefrontal::control
