// The launcher's JSON: a request as words of its command line, and text as a JSON string.
#pragma once

#include <string>
#include <vector>

namespace prefrontal::sandbox {

// {"scratch": "/s", "memory_mb": 64, "read": ["/usr"], "variables": {"A": "b"}, "command": [...]}
// as --scratch /s --memory-mb 64 --read /usr --variable A=b -- .... Throws Failure.
std::vector<std::string> words_of_json(const std::string& text);

std::string quoted(const std::string& text);

}  // namespace prefrontal::sandbox
