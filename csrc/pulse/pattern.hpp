// Names with wildcards: `*` is anything within a part, `**` anything at all, `**/` any parts or
// none; parts end at "/". A pattern matches what it names and what lies below that: "src" is
// "src/a.py".
#pragma once

#include <string>
#include <string_view>

namespace prefrontal::pulse {

bool matches_pattern(std::string_view pattern, std::string_view name);

// A path without "." and empty parts, and without ".." where something stands before it.
std::string plain_path(std::string_view path);

}  // namespace prefrontal::pulse
