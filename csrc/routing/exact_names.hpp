// Which tools a prompt calls by their whole name.
//
// A name is called where it stands as one identifier of several words (create_meeting,
// create-meeting, createMeeting), in quotes, in front of "tool", "tools" or "function", or behind
// "use", "using", "call", "invoke", "run", "execute" or "via" ("use create meeting"). Words are
// compared in lower case, unstemmed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "csrc/routing/catalog.hpp"

namespace prefrontal::routing {

constexpr std::uint32_t kMostNameWords = 16;  // longer names are not looked for

// Of the words of a name; 0 for a name without words.
std::uint64_t name_hash(std::string_view name);

// Sets the columns of names; `hashes` by tool.
void set_names(Catalog& catalog, std::span<const std::uint64_t> hashes);

// Whether two tools have the words of one name.
bool same_name(const Catalog& catalog, std::uint32_t one, std::uint32_t other);

struct NameCall {
  std::uint32_t tool;
  std::uint32_t words;  // of its name
};

// Ascending by tool, each once.
std::vector<NameCall> name_calls(const Catalog& catalog, std::string_view prompt);

}  // namespace prefrontal::routing
