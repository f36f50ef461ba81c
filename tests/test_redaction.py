"""Secrets go, ordinary text stays, and nothing makes it slow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.redaction import REDACTED, _without_secrets, redact

from .exhaustive import first

HEX = "0123456789abcdef" * 4

SECRETS = [
    ("my key is " + HEX, HEX),
    ("private key: " + HEX, HEX),
    ("nsec1" + "q" * 58, "nsec1"),
    ("use sk-abcdefghijklmnop here", "sk-abc"),
    ("sk_live_abcdefghijklmnop", "abcdefghijklmnop"),
    ("Authorization: Bearer abc.def-ghi_jkl", "abc.def"),
    ("Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    ("password: hunter22", "hunter22"),
    ('"api_key": "abc123def"', "abc123def"),
    ("the API key is 12ab34cd", "12ab34cd"),
    ("MY_SECRET_TOKEN=abcdef123", "abcdef123"),
    ("ghp_" + "a1" * 18, "ghp_a1"),
    ("github_pat_" + "a" * 22, "github_pat_a"),
    ("glpat-abcdefghijklmnopqr", "glpat-abc"),
    ("xoxb-1234567890-abc", "xoxb-1"),
    ("AKIAIOSFODNN7EXAMPLE", "AKIAIOS"),
    ("AIza" + "b" * 35, "AIzab"),
    ("eyJhbGciOiJIUzI1.eyJzdWIiOiIx.SflKxwRJ", "eyJhbGciOiJI"),
    ("https://a.example/long-segment-of.eyJhbGciOiJIUzI1.eyJzdWIiOiIx.SflKxwRJ/x", "eyJhbGciOiJI"),
    ("token-eyJhbGciOiJIUzI1.eyJzdWIiOiIx.SflKxwRJ.eyJhbGciOiJIUzI1", "SflKxwRJ"),
    ("postgres://user:pa55word@host/db", "pa55word"),
    ("ab://u:p@", ":p@"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "MIIE"),
    ("-----BEGIN PRIVATE KEY-----\nMIIEcut off", "MIIEcut"),
]


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_a_secret_is_taken_out(text: str, secret: str) -> None:
    told = redact(text)
    assert REDACTED in told
    assert secret not in told


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_what_is_around_a_secret_stays(text: str, secret: str) -> None:
    told = redact(f"Hello Ann, {text}\nand goodbye.")
    assert told.startswith("Hello Ann, ")
    if "BEGIN" not in text or "END" in text:
        assert told.endswith("and goodbye.")


@pytest.mark.parametrize(
    "text",
    [
        "the token economy is great",
        "set a password policy for the team",
        "keys of the house",
        "commit " + HEX,
        "see https://example.org/a@b and mail me at ann@example.org",
        "basic idea: sketch it",
        "task-based work",
        "",
        "sk-short",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


@given(st.text(max_size=300))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@pytest.mark.parametrize(
    "text",
    first(2, ["a" * 200_000, "key " * 50_000, "x://" * 50_000, "token: " * 30_000, "-" * 200_000]),
)
def test_long_texts_are_redacted_once(text: str) -> None:
    once = redact(text)
    assert redact(once) == once
    assert (once == text) != ("token" in text)


@given(st.lists(st.sampled_from(SECRETS), min_size=1, max_size=2), st.data())
def test_no_secret_is_passed_over_for_how_it_is_written(
    secrets: list[tuple[str, str]], data: st.DataObject
) -> None:
    """The quick look beforehand must not miss what the patterns find."""
    text = " ".join(secret for secret, _ in secrets)
    changed = {"s": "sS\u017f", "k": "kK\u212a", "i": "iI\u0130\u0131"}
    for letter, forms in changed.items():
        if data.draw(st.booleans()):
            text = text.replace(letter, data.draw(st.sampled_from(forms)))
    text = data.draw(st.sampled_from((text.upper(), text.lower(), text.swapcase(), text)))
    assert redact(text) == _without_secrets(text)
