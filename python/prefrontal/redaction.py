"""Secrets taken out of text before it is stored, logged, sent as an event or shown to a model."""

from __future__ import annotations

import re

REDACTED = "[redacted]"
SHORTEST = 9
"""Fewest characters in which any of the patterns below can be found: "ab://u:p@"."""

_WHOLE = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)"
    r"|\bnsec1[02-9ac-hj-np-z]{20,}"
    r"|\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{12,}"
    r"|\bgh[oprsu]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}"
    r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,}"
    r"|\bAKIA[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{30,}",
    re.DOTALL | re.IGNORECASE,
)
_JWT = re.compile(
    r"(?<![A-Za-z0-9_-])(?P<head>[A-Za-z0-9_-]{13,}+)"
    r"(?=(?P<rest>\.[A-Za-z0-9_-]{10,}+\.[A-Za-z0-9_-]{5,}))"
)
"""Three segments; each character is looked at three times at most, however often "eyJ" stands."""
_JWT_HEAD = re.compile(r"\beyJ[A-Za-z0-9_-]{10}", re.IGNORECASE)
_NAMED = re.compile(
    r"(?P<name>\b(?:bearer|basic)\s+|"
    r"(?:passwor[dt]|passwd|passphrase|secret|token|api[_ -]?key"
    r"|access[_ -]?key|private[_ -]?key)\b[\"']?\s{0,3}(?:[:=]|\bis\b)\s{0,3}[\"']?)"
    r"(?P<value>(?!\[redacted\])[^\s\"',;]{6,})",
    re.IGNORECASE,
)
_HEX = re.compile(r"(?P<name>\bkeys?\b[^0-9a-f]{0,20}?)(?P<value>\b[0-9a-f]{64}\b)", re.IGNORECASE)
_LOGIN = re.compile(r"(?P<name>\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:)[^\s/@]{1,200}@", re.I)

_SIGNS = (
    *("-----begin ", "nsec1", "sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "gho_", "ghp_", "ghr_"),
    *("ghs_", "ghu_", "github_pat_", "glpat-", "xox", "akia", "aiza", "eyj", "bearer", "basic"),
    *("passwor", "passwd", "passphrase", "secret", "token", "key", "://"),
)
"""What stands in a text in which any of the patterns is found, in small letters."""
_FOLDED = "\u0130\u0131\u017f\u212a"
"""Letters that the patterns take for i, s and k, and `lower` does not."""


def redact(text: str) -> str:
    """The text with "[redacted]" for what looks like a secret.

    Known: private key blocks, nsec1..., sk-..., tokens of GitHub, GitLab, Slack, AWS and Google,
    JWTs, what follows "Bearer", "password:", "api_key=" and the like, 64 hex digits after "key",
    and passwords in addresses. Redact before shortening: half a secret is not recognised.
    """
    if len(text) < SHORTEST or not _may_hold_a_secret(text):
        return text
    return _without_secrets(text)


def _may_hold_a_secret(text: str) -> bool:
    """Costs a tenth of the patterns; most texts hold none."""
    small = text.lower()
    for sign in _SIGNS:  # a generator in `any` would take twice as long
        if sign in small:
            return True
    return not text.isascii() and any(letter in text for letter in _FOLDED)


def _without_secrets(text: str) -> str:
    text = _WHOLE.sub(REDACTED, _without_jwts(text))
    text = _NAMED.sub(rf"\g<name>{REDACTED}", text)
    text = _HEX.sub(rf"\g<name>{REDACTED}", text)
    return _LOGIN.sub(rf"\g<name>{REDACTED}@", text)


def _without_jwts(text: str) -> str:
    pieces, end = [], 0
    for match in _JWT.finditer(text):
        head = _JWT_HEAD.search(text, match.start("head"), match.end("head"))
        if head is not None and head.start() >= end:
            pieces += [text[end : head.start()], REDACTED]
            end = match.end("rest")
    return "".join([*pieces, text[end:]])
