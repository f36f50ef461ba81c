#include "csrc/sandbox/proxy_port.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "csrc/sandbox/failure.hpp"

namespace prefrontal::sandbox {
namespace {

constexpr int kBacklog = 64;

void switch_loopback_on(int socket) {
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  checked(ioctl(socket, SIOCSIFFLAGS, &request), "the loopback of a network of its own");
}

void send_descriptor(int unix_socket, int descriptor) {
  char byte = '.';
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  checked(sendmsg(unix_socket, &message, 0), "the proxy's socket");
}

}  // namespace

void hand_out_listener(int unix_socket) {
  const int listener =
      static_cast<int>(checked(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
  switch_loopback_on(listener);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kProxyPort);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  checked(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), "bind");
  checked(listen(listener, kBacklog), "listen");
  send_descriptor(unix_socket, listener);
  close(listener);
  close(unix_socket);
}

}  // namespace prefrontal::sandbox
