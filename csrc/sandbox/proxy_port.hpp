// The way out of a network of its own: a listening socket that is answered from outside.
#pragma once

namespace prefrontal::sandbox {

inline constexpr int kProxyPort = 3128;

// In a new network namespace: switches its loopback on, listens at 127.0.0.1:3128 and hands the
// listening socket out through the Unix socket, which is closed. Throws Failure.
void hand_out_listener(int unix_socket);

}  // namespace prefrontal::sandbox
