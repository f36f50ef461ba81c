"""Attempts to talk: to this machine's listeners and through sockets of every kind."""

from __future__ import annotations

from .attempt import Attempt

NETWORK = (
    Attempt(
        "connect_to_a_listener",
        "return socket.create_connection(('127.0.0.1', C['tcp']), 2).recv(5) == b'hello'",
    ),
    Attempt(
        "connect_to_a_listener_over_ipv6",
        "return socket.create_connection(('::1', C['tcp6']), 2).recv(5) == b'hello'",
        shown="perhaps",
    ),
    Attempt(
        "send_a_datagram",
        """
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        return sender.sendto(b'out', ('127.0.0.1', C['udp'])) == 3
        """,
    ),
    Attempt(
        "listen",
        """
        server = socket.socket()
        server.bind(('127.0.0.1', 0))
        server.listen()
        return True
        """,
    ),
    Attempt("packets", "socket.socket(socket.AF_PACKET, socket.SOCK_RAW); return True",
            shown="root"),
    Attempt("raw_internet", "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); return True",
            shown="root"),
    Attempt("netlink", "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); return True"),
    Attempt("kernel_crypto", "socket.socket(38, socket.SOCK_SEQPACKET); return True",
            shown="perhaps"),
    Attempt("virtual_machine_socket", "socket.socket(40, socket.SOCK_STREAM); return True",
            shown="perhaps"),
    Attempt(
        "abstract_socket",
        """
        client = socket.socket(socket.AF_UNIX)
        client.connect('\\0' + C['abstract'])
        return client.recv(5) == b'hello'
        """,
    ),
    Attempt(
        "socket_of_a_path",
        """
        client = socket.socket(socket.AF_UNIX)
        client.connect(C['socket'])
        return client.recv(5) == b'hello'
        """,
    ),
    Attempt(
        "datagram_through_a_pair",
        """
        left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        return left.sendto(b'out', '\\0' + C['abstract_datagrams']) == 3
        """,
    ),
    Attempt(
        "reconnect_a_pair",
        """
        left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        left.connect('\\0' + C['abstract_datagrams'])
        return left.send(b'out') == 3
        """,
    ),
    Attempt(
        "sequenced_packets_to_another_address",
        """
        left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        left.connect('\\0' + C['abstract'])
        return True
        """,
        shown="never",
    ),
    Attempt("io_uring", "call(425, 425, 8, ctypes.create_string_buffer(120)); return True",
            shown="perhaps"),
    Attempt(
        "socket_by_the_other_numbering",  # x32: the same processor, other numbers
        "call(0x40000000 | 41, 0x40000000, 2, 1, 0); return True",
        shown="perhaps",
    ),
    Attempt(
        "socket_by_the_old_gate",  # int 0x80 with 359, socket
        """
        if not X86:
            return False
        code = bytes.fromhex('53 b867010000 bb02000000 b901000000 ba00000000 cd80 5b c3')
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        page.write(code)
        address = ctypes.addressof(ctypes.c_char.from_buffer(page))
        return ctypes.CFUNCTYPE(ctypes.c_int)(address)() >= 0
        """,
        stopped=("", "system call"),
        shown="perhaps",
    ),
)  # fmt: skip
