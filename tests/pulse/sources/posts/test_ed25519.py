"""Ed25519 signatures are verified as RFC 8032 says."""

from __future__ import annotations

from random import Random

import pytest

from prefrontal.pulse.sources.posts.ed25519 import ORDER, P, decompressed, verify

RFC = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555f"
        "b8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da08"
        "5ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18"
        "ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]
"""(public key, message, signature) of section 7.1."""


@pytest.mark.parametrize("vector", RFC)
def test_the_vectors_of_the_rfc_are_verified_and_no_others(vector: tuple[str, str, str]) -> None:
    key, message, signature = map(bytes.fromhex, vector)
    assert verify(key, message, signature)
    assert not verify(key, message + b"x", signature)
    for place in (0, 31, 32, 63):
        changed = bytearray(signature)
        changed[place] ^= 1
        assert not verify(key, message, bytes(changed))
    other = int.from_bytes(signature[32:], "little") + ORDER
    assert not verify(key, message, signature[:32] + other.to_bytes(32, "little"))


def test_what_is_no_key_and_no_signature_is_refused() -> None:
    key, message, signature = map(bytes.fromhex, RFC[0])
    assert not verify(key[:-1], message, signature)
    assert not verify(key, message, signature + b"\0")
    assert not verify(key, message, b"")
    assert decompressed(P.to_bytes(32, "little")) is None
    assert decompressed((2).to_bytes(32, "little")) is None  # no x belongs to this y
    assert decompressed((1 | 1 << 255).to_bytes(32, "little")) is None  # x = 0 has no sign


def test_it_verifies_what_another_implementation_signs() -> None:
    ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    random = Random(0)
    for length in range(20):
        private = ed25519.Ed25519PrivateKey.from_private_bytes(random.randbytes(32))
        key, message = private.public_key().public_bytes_raw(), random.randbytes(length)
        assert verify(key, message, private.sign(message))
        assert not verify(key, message, random.randbytes(64))
