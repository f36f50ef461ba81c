// Everything linear around the softmax of a memory read, folded into one table in double.
//
//   key s = W_k m_s + b_k;  score column s = [W_q b_q]^T key s / tau
//   value s = W_v m_s + b_v;  context s = W_o value s;  heads s = W_h context s
//
// Cosine attention: scores are memory_dim cos(q, k) / tau, the dot product of vectors brought to a
// mean square of 1; |q| is the length of R [x 1], R^T R = [W_q b_q]^T [W_q b_q] (Cholesky).
#pragma once

#include "csrc/control/memory/cue_parameters.hpp"
#include "csrc/simd/slots.hpp"

namespace prefrontal::control {

// exp(log_tau) + 0.001, or sqrt(memory_dim) without one.
double temperature(const CueLayout& layout, const Parameters& parameters);

class CueFold {
 public:
  CueFold(const CueLayout& layout, const Parameters& parameters);

  // Both throw std::invalid_argument when a result is not finite in float32.
  void all(const Parameters& parameters, simd::SlotTable& table) const;
  // What depends on these slots of the memory; the same bits as folding everything anew.
  void slots(const Parameters& parameters, int first, int count, simd::SlotTable& table) const;

 private:
  void starts(const Parameters& parameters, simd::SlotTable& table) const;
  void norm(simd::SlotTable& table) const;

  CueLayout layout_;
  double scale_;              // 1 / tau
  std::vector<float> query_;  // [W_q b_q]^T: a row for each input, then the bias
  std::vector<float> heads_;  // what the heads make of a context: 16 rows of actions, 2 of terrain
};

}  // namespace prefrontal::control
