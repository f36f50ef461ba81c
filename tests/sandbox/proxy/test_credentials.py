from __future__ import annotations

import base64

import pytest

from prefrontal.errors import InputError
from prefrontal.sandbox.proxy.credentials import Credential, Mask, Placeholders
from prefrontal.sandbox.proxy.request_head import RequestHead

SECRET = "s3cr&t/value+0123456789"


def test_a_placeholder_is_as_long_as_its_secret_and_new_in_each_run() -> None:
    credential = Credential("TOKEN", SECRET, ("a.org",))
    first, second = (Placeholders([credential]).variables["TOKEN"] for _ in range(2))
    assert first != second and len(first) == len(second) == len(SECRET)
    assert first.isalnum() and SECRET not in repr(credential)


def test_the_secret_is_put_in_for_its_host_alone() -> None:
    placeholders = Placeholders([Credential("TOKEN", SECRET, ("a.org",))])
    text = placeholders.variables["TOKEN"]
    basic = base64.b64encode(f"user:{text}".encode()).decode()
    head = RequestHead(
        "GET", f"/x?key={text}", (("Authorization", f"Bearer {text}"), ("X", f"Basic {basic}"),
                                  ("Y", "Basic !"), ("Z", "basic bm9uZQ==")),
    )  # fmt: skip
    filled = placeholders.fill("a.org", head)
    assert filled.target == "/x?key=s3cr%26t%2Fvalue%2B0123456789"
    assert filled.fields[0] == ("Authorization", f"Bearer {SECRET}")
    assert base64.b64decode(filled.fields[1][1].split()[1]) == f"user:{SECRET}".encode()
    assert filled.fields[2:] == head.fields[2:]
    assert placeholders.fill("b.org", head) == head


@pytest.mark.parametrize("size", [1, 2, 5, 22, 23, 24, 1000])
def test_an_answer_with_the_secret_has_the_placeholder_instead(size: int) -> None:
    placeholders = Placeholders([Credential("TOKEN", SECRET, ("a.org",))])
    answer = b"x" * 30 + SECRET.encode() * 2 + b"s3cr" + b"y" * 5
    expected = answer.replace(SECRET.encode(), placeholders.variables["TOKEN"].encode())
    mask = placeholders.mask("a.org")
    parts = [mask.feed(answer[at : at + size]) for at in range(0, len(answer), size)]
    assert b"".join(parts) + mask.end() == expected
    assert Mask([]).feed(answer) == answer


@pytest.mark.parametrize("value", ["short", "with space", "line\r\nbreak", "umlaut-ü-umlaut", ""])
def test_a_secret_that_could_not_be_put_into_a_header_is_refused(value: str) -> None:
    with pytest.raises(InputError, match="the value of credential 'TOKEN' must be at least 8"):
        Credential("TOKEN", value, ("a.org",))
    with pytest.raises(InputError, match="must name a host"):
        Credential("TOKEN", SECRET, ())
