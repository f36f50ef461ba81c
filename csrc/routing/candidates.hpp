// The few tools that can be among the best for a prompt.
//
// Exact: all tools are estimated, and those whose estimates leave them a chance are measured.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "csrc/routing/description.hpp"
#include "csrc/routing/estimates.hpp"

namespace prefrontal::routing {

// Ascending; the description was read for these when it returns. `known`, tools with experience
// (ascending), are among them.
std::vector<std::uint32_t> candidates(const Catalog& catalog, Description& description,
                                      std::size_t most, const Mixture& mixture,
                                      std::span<const std::uint32_t> known);

}  // namespace prefrontal::routing
