// Namespaces: a view of the machine with a few read-only folders, no network and no others.
#pragma once

#include "csrc/sandbox/landlock.hpp"

namespace prefrontal::sandbox {

// The next child gets its own process numbers and dies with all of its own; an ordinary user
// becomes the owner of a user namespace first. Throws Failure where that is not allowed.
void separate_processes();

// In that child: its own network (unless asked for), messages, host name and files: what `reach`
// names, at the same paths, under an empty read-only root. Throws Failure.
void separate_everything_else(const Reach& reach);

}  // namespace prefrontal::sandbox
