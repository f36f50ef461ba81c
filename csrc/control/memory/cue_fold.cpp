#include "csrc/control/memory/cue_fold.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "csrc/simd/dispatch.hpp"
#include "csrc/simd/exponential.hpp"

namespace prefrontal::control {

using namespace simd;  // its widths

namespace {

constexpr double kShortest = 1e-12;  // length that a shorter key or query counts as

// One or more vectors of the same length, each followed by zeros up to a multiple of 16.
struct Vectors {
  Vectors(int count, int length)
      : count(count),
        length(length),
        stride((length + 15) / 16 * 16),
        numbers(static_cast<std::size_t>(count) * stride) {}

  double* operator[](int at) { return numbers.data() + at * stride; }
  const double* operator[](int at) const { return numbers.data() + at * stride; }

  int count, length, stride;
  std::vector<double> numbers;
};

// matrix x + start for each x; without a start where `start` is null or empty.
Vectors product(const std::vector<float>& matrix, const Vectors& x,
                const std::vector<float>* start = nullptr) {
  Vectors y(x.count, static_cast<int>(matrix.size()) / x.length);
  const float* from = start && !start->empty() ? start->data() : nullptr;
  for (int at = 0; at < x.count; at += kSlots)
    kernels().slots->product({matrix.data(), y.length, x.length, from}, x[at], x.stride, y[at],
                             y.stride, std::min(x.count - at, kSlots));
  return y;
}

float finite(double value) {
  const float out = static_cast<float>(value);
  if (!std::isfinite(out))
    throw std::invalid_argument("parameters must fold to finite numbers, got products over 3.4e38");
  return out;
}

double length_of(const double* x, int n) {
  double squares = 0.0;
  for (int i = 0; i < n; ++i) squares += x[i] * x[i];
  return std::max(std::sqrt(squares), kShortest);
}

}  // namespace

double temperature(const CueLayout& layout, const Parameters& parameters) {
  if (!layout.cue || parameters[kLogTau].empty()) return std::sqrt(layout.memory_dim);
  return simd::exponential(static_cast<double>(parameters[kLogTau][0])) + 1e-3;
}

CueFold::CueFold(const CueLayout& layout, const Parameters& parameters)
    : layout_(layout), scale_(1.0 / temperature(layout, parameters)) {
  const int wide = layout.memory_dim, inputs = layout.inputs();
  query_.resize(static_cast<std::size_t>(inputs + 1) * wide);
  const float* weight = parameters[kQueryWeight].data();
  for (int j = 0; j < inputs; ++j)
    for (int o = 0; o < wide; ++o) query_[j * wide + o] = weight[o * inputs + j];
  std::copy_n(parameters[kQueryBias].begin(), wide, query_.begin() + inputs * wide);
  if (!layout.cue) return;
  const auto& action = parameters[kActionWeight];
  const int columns = static_cast<int>(action.size()) / kActions;
  for (auto row = action.begin(); row != action.end(); row += columns)
    heads_.insert(heads_.end(), row, row + kContext);
  const auto& terrain = parameters[kTerrainWeight];
  heads_.insert(heads_.end(), terrain.begin(), terrain.end());
}

void CueFold::slots(const Parameters& parameters, int first, int count, SlotTable& table) const {
  Vectors memory(count, layout_.memory_dim);
  for (int i = 0; i < count; ++i)
    std::copy_n(parameters[kMemory].begin() + (first + i) * memory.length, memory.length,
                memory[i]);
  const Vectors key = product(parameters[kKeyWeight], memory, &parameters[kKeyBias]);
  const Vectors score = product(query_, key);
  const Vectors value = product(parameters[kValueWeight], memory, &parameters[kValueBias]);
  const Vectors context = product(parameters[kOutputWeight], value);
  for (int i = 0; i < count; ++i) {
    const int slot = first + i;
    const double scale =
        layout_.cosine ? scale_ * key.length / length_of(key[i], key.length) : scale_;
    for (int j = 0; j < table.inputs; ++j) table.score[j][slot] = finite(score[i][j] * scale);
    table.score_start[slot] = finite(score[i][table.inputs] * scale);
    std::transform(context[i], context[i] + kContext, table.value[slot] + 2 * kActions, finite);
  }
  if (!layout_.cue) return;
  const Vectors heads = product(heads_, context);
  for (int i = 0; i < count; ++i)
    std::transform(heads[i], heads[i] + heads.length, table.value[first + i], finite);
}

void CueFold::starts(const Parameters& parameters, SlotTable& table) const {
  const std::vector<float>& bias = parameters[kOutputBias];
  std::copy(bias.begin(), bias.end(), table.value_start + 2 * kActions);
  if (!layout_.cue) return;
  Vectors context(1, kContext);
  std::copy(bias.begin(), bias.end(), context[0]);
  std::vector<float> start = parameters[kActionBias];
  start.insert(start.end(), parameters[kTerrainBias].begin(), parameters[kTerrainBias].end());
  const Vectors heads = product(heads_, context, &start);
  std::transform(heads[0], heads[0] + heads.length, table.value_start, finite);
  for (int action = 0; layout_.world && action < kActions; ++action) {
    const float* row = parameters[kActionWeight].data() + action * (kContext + kWorld) + kContext;
    for (int j = 0; j < kWorld; ++j) table.action[j][action] = row[j];
  }
}

// Cholesky's R of the query's inner products; a row without a length of its own stays 0.
void CueFold::norm(SlotTable& table) const {
  const int n = layout_.inputs() + 1;
  Vectors rows(n, layout_.memory_dim);
  for (int i = 0; i < n; ++i) std::copy_n(query_.begin() + i * rows.length, rows.length, rows[i]);
  Vectors rest = product(query_, rows);  // row i becomes row i of R
  for (int i = 0; i < n; ++i) {
    const double whole = rest[i][i];
    for (int above = 0; above < i; ++above)
      for (int j = i; j < n; ++j) rest[i][j] -= rest[above][i] * rest[above][j];
    const double pivot = rest[i][i];
    const double root = pivot > 1e-12 * whole ? std::sqrt(pivot) : 0.0;
    for (int j = i; j < n; ++j) {
      rest[i][j] = root == 0.0 ? 0.0 : rest[i][j] / root;
      table.norm[j][i] = finite(rest[i][j]);
    }
  }
}

void CueFold::all(const Parameters& parameters, SlotTable& table) const {
  table.inputs = layout_.inputs();
  table.cosine = layout_.cosine;
  table.direct = layout_.world;
  starts(parameters, table);
  if (layout_.cosine) norm(table);
  slots(parameters, 0, kSlots, table);
}

}  // namespace prefrontal::control
