// Which words of a prompt a tool is found by, as they were typed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "csrc/routing/catalog.hpp"
#include "csrc/routing/intent.hpp"
#include "csrc/routing/phrasings.hpp"

namespace prefrontal::routing {

// Those that the tool's texts or its nearest phrasings have. tokens: a bit for each token with
// content, the first 64 of them, that its texts have. nearest: null where there are none.
std::vector<std::string> matched(const Intent& intent, std::uint64_t tokens,
                                 const Phrasings& phrasings, const Nearness* nearest);

// A relative of one of the prompt's words.
struct Joint {
  std::size_t word;  // of Intent::words
  std::uint32_t other;
};

// All of them, the likest of each word first.
std::vector<Joint> joints(const Catalog& catalog, const Intent& intent);

// The likest that the tool has, of each word that it is not matched by.
std::vector<std::pair<std::string, std::string>> joined(const Catalog& catalog,
                                                        const Intent& intent, std::uint32_t tool,
                                                        std::span<const std::string> matched,
                                                        std::span<const Joint> joints);

}  // namespace prefrontal::routing
