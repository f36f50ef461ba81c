// The few tools that can be among the best for a prompt.
//
// Exact: no tool is left out whose bound leaves it a chance; those that have one are measured.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "csrc/routing/bounds.hpp"
#include "csrc/routing/description.hpp"

namespace prefrontal::routing {

// Ascending; the description was read for these when it returns. `known`, tools with experience
// (ascending), are among them.
std::vector<std::uint32_t> candidates(const Catalog& catalog, Description& description,
                                      std::size_t most, const Mixture& mixture,
                                      std::span<const std::uint32_t> known);

}  // namespace prefrontal::routing
