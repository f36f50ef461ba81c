// How like the meaning of a prompt is to those of the tools: by an embedder where one gives it,
// else by the vectors of words (word_vectors.hpp).
//
// By these a tool means three times what its texts do and once what each of its phrasings does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "csrc/routing/catalog.hpp"
#include "csrc/routing/experience.hpp"
#include "csrc/routing/intent.hpp"

namespace prefrontal::routing {

class MeaningLikeness {
 public:
  // `by_embedder` by tool, or empty; without `vectors` nothing is compared then.
  MeaningLikeness(const Catalog& catalog, const Experience& experience, const Intent& intent,
                  std::span<const double> by_embedder, bool vectors);

  bool by_vectors() const { return by_vectors_; }
  bool by_embedder() const { return !by_embedder_.empty(); }
  // By vectors: reads the likeness of some tools, ascending; of the others it is 0.
  void compare(std::vector<std::uint32_t> tools);
  // 0..1
  double likeness(std::uint32_t tool) const;
  // By how much its cosine, or what the embedder says, exceeds that of every other tool but those
  // of the same name; -1..1.
  double lead(std::uint32_t tool) const;

 private:
  template <class Each>
  double next_of(std::uint32_t tool, std::size_t n, Each each) const;

  const Catalog& catalog_;
  const Experience& experience_;
  std::span<const double> by_embedder_;
  bool by_vectors_;
  Meaning meaning_{};
  std::vector<std::uint32_t> tools_;  // ascending
  std::vector<double> likeness_;      // beside them, as are
  std::vector<double> cosines_;       // which these follow from
};

}  // namespace prefrontal::routing
