"""Attempts to reach hosts that are not listed: past a proxy where there is one, else directly.

One host is listed: 127.0.0.1 at the port C['web'], which answers with the Host it was asked for.
"""

from __future__ import annotations

from .attempt import Attempt

_WAY = """
def way(target, port=None):
    '''A connection to the host: by a tunnel of the proxy where there is one.'''
    port = port or C['tcp']
    if 'HTTP_PROXY' not in os.environ:
        return socket.create_connection((target, port), 2)
    client = socket.create_connection(('127.0.0.1', 3128), 2)
    client.sendall(f'CONNECT {target}:{port} HTTP/1.1\\r\\n\\r\\n'.encode())
    answer = client.recv(1000)
    if b' 200 ' not in answer:
        raise OSError(answer.decode())
    return client

def ask(lines, port=None):
    '''The answer to a request whose target is a path for a host, a URL for a proxy.'''
    port = port or C['web']
    if 'HTTP_PROXY' in os.environ:
        client, base = socket.create_connection(('127.0.0.1', 3128), 2), f'http://127.0.0.1:{port}'
    else:
        client, base = socket.create_connection(('127.0.0.1', port), 2), ''
    client.settimeout(3)
    client.sendall(lines.replace('BASE', base).replace('\\n', '\\r\\n').encode())
    answer = b''
    try:
        while part := client.recv(65536):
            answer += part
    except OSError:
        pass
    return answer.decode('latin-1')
"""


def _attempt(name: str, body: str, **more: object) -> Attempt:
    indented = "\n".join(line[8:] for line in body.splitlines())
    return Attempt(name, _WAY + indented, **more)  # type: ignore[arg-type]


HOSTS = (
    _attempt("tunnel_to_another_port", """
        return way('127.0.0.1').recv(5) == b'hello'
        """),
    _attempt("tunnel_to_this_machine_by_name", """
        return way('localhost').recv(5) == b'hello'
        """),
    _attempt("tunnel_to_a_short_address", """
        return way('127.1').recv(5) == b'hello'
        """),
    _attempt("tunnel_to_an_address_in_one_number", """
        return way('2130706433').recv(5) == b'hello'
        """),
    _attempt("tunnel_to_an_address_in_hexadecimal", """
        return way('0x7f.0.0.1').recv(5) == b'hello'
        """),
    _attempt("tunnel_to_an_address_in_octal", """
        return way('0177.0.0.1').recv(5) == b'hello'
        """),
    _attempt("tunnel_to_no_address", """
        return way('0.0.0.0').recv(5) == b'hello'
        """),
    _attempt("tunnel_to_another_address_of_this_machine", """
        return way('127.0.0.2', C['tcp2']).recv(5) == b'hello'
        """),
    _attempt("another_host_at_a_listed_address", """
        answer = ask('GET BASE/ HTTP/1.1\\nHost: other.test\\nConnection: close\\n\\n')
        return 'HOST other.test' in answer
        """),
    _attempt("a_second_request_behind_the_first", """
        return ask('GET BASE/ HTTP/1.1\\nHost: x\\n\\nGET / HTTP/1.1\\nHost: second.test\\n'
                   'Connection: close\\n\\n').count('HOST') == 2
        """),
    _attempt("a_second_request_in_a_body_of_two_lengths", """
        return 'HOST' in ask('POST BASE/ HTTP/1.1\\nHost: x\\nContent-Length: 4\\n'
                             'Transfer-Encoding: chunked\\nConnection: close\\n\\n0\\n\\n')
        """),
    _attempt("a_header_over_two_lines", """
        return 'HOST' in ask('GET BASE/ HTTP/1.1\\nHost: x\\nX-A: b\\n c\\nConnection: close\\n\\n')
        """),
    _attempt("words_that_are_no_tls_through_a_tunnel", """
        client = way('127.0.0.1', C['web'])
        client.sendall(b'GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n')
        answer = b''
        while part := client.recv(1000):
            answer += part
        return b'HOST' in answer
        """),
    _attempt("the_secret_of_a_listed_host", """
        import hashlib
        token = os.environ.get('PREFRONTAL_TEST_TOKEN', '')
        answer = ask(f'GET BASE/ HTTP/1.1\\nHost: {token}\\nX-Token: {token}\\n\\n')
        words = [token, *answer.split()]
        return any(hashlib.sha256(word.encode()).hexdigest() == C['token'] for word in words)
        """),
)  # fmt: skip
