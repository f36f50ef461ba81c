// The report as JSON; its fields are documented in docs/sandbox.md and stay.
#pragma once

#include <string>

#include "csrc/sandbox/supervisor.hpp"

namespace prefrontal::sandbox {

std::string json_of(const Report& report, Level level);
std::string json_of_failure(const std::string& sentence);

// Of the command, as a shell says it: 124 when a limit stopped it, 128 and the number of a signal.
int exit_status(const Report& report);

}  // namespace prefrontal::sandbox
