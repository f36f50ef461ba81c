#include "csrc/control/choice/proposal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "csrc/simd/operator_dispatch.hpp"

namespace prefrontal::control {
namespace {

constexpr float kSmallestStd = 1e-6f;  // added to the deviation at each refit

class Search {
 public:
  explicit Search(const Proposal& asked)
      : asked_(asked),
        numbers_(asked.steps * asked.decoder[0].inputs),
        mean_(asked.mean, asked.mean + numbers_),
        std_(numbers_, 1.0f),
        order_(asked.candidates),
        objects_(static_cast<size_t>(asked.elites) * numbers_) {}

  void run() {
    for (int iteration = 0; iteration + 1 < asked_.iterations; ++iteration) {
      const simd::RolloutRows rows = roll(iteration);
      choose();
      simd::operator_kernels().rollouts->objects(
          asked_.e2, {order_.data(), asked_.elites, &rows, objects_.data()});
      for (size_t at = 0; at < numbers_; ++at) refit(at);
    }
    roll(asked_.iterations - 1);
  }

 private:
  // All but the last iteration need no states of the self, and action objects of the elites alone.
  simd::RolloutRows roll(int iteration) const {
    const bool last = iteration + 1 == asked_.iterations;
    const simd::Draws draws = {
        {asked_.decoder[0], asked_.decoder[1]},
        mean_.data(),
        std_.data(),
        asked_.noise + static_cast<size_t>(iteration) * asked_.candidates * numbers_};
    simd::RolloutRows rows{};
    rows.rows = asked_.candidates;
    rows.steps = asked_.steps;
    rows.z_self = asked_.z_self;
    rows.z_world = asked_.z_world;
    rows.bias = asked_.bias;
    rows.draws = &draws;
    rows.residue = &asked_.residue;
    rows.actions = asked_.actions;
    rows.states = last ? asked_.states : nullptr;
    rows.world_states = asked_.world_states;
    rows.objects = last ? asked_.objects : nullptr;
    rows.scores = asked_.scores;
    simd::operator_kernels().rollouts->roll(asked_.e2, rows);
    rows.draws = nullptr;  // gone with this frame
    return rows;
  }

  // Candidates by score, of equals the earlier first, NaN last.
  void choose() {
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [this](int a, int b) {
      const float one = asked_.scores[a], other = asked_.scores[b];
      return one < other || (std::isnan(other) && !std::isnan(one));
    });
  }

  void refit(size_t at) {
    double sum = 0.0, squares = 0.0;
    for (int k = 0; k < asked_.elites; ++k) sum += static_cast<double>(objects_[k * numbers_ + at]);
    const double mean = sum / asked_.elites;
    for (int k = 0; k < asked_.elites; ++k) {
      const double apart = static_cast<double>(objects_[k * numbers_ + at]) - mean;
      squares += apart * apart;
    }
    mean_[at] = static_cast<float>(mean);
    std_[at] = static_cast<float>(std::sqrt(squares / (asked_.elites - 1))) + kSmallestStd;
  }

  const Proposal& asked_;
  const size_t numbers_;  // of a candidate's action objects
  std::vector<float> mean_;
  std::vector<float> std_;
  std::vector<int> order_;
  std::vector<float> objects_;  // of the elites
};

}  // namespace

void propose(const Proposal& asked) { Search(asked).run(); }

}  // namespace prefrontal::control
