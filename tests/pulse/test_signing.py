"""Signatures of posted questions, as Standard Webhooks say."""

from __future__ import annotations

import pytest

from prefrontal.errors import InputError
from prefrontal.pulse.sinks import HttpSink, Signer, as_line
from prefrontal.testing import ManualClock

from .test_http_sink import Server
from .wakes import wake

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_" + "QUJD" * 8


def test_the_vector_of_the_specification_is_reproduced() -> None:
    told = Signer(SECRET).headers(
        "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
    )
    assert told == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_while_keys_are_changed_each_of_them_signs() -> None:
    both = Signer(f"{SECRET} {OTHER}").headers("a", 1, b"{}")["webhook-signature"]
    single = [Signer(key).headers("a", 1, b"{}")["webhook-signature"] for key in (SECRET, OTHER)]
    assert both.split() == single and single[0] != single[1]


def test_every_try_is_signed_over_what_was_sent_at_its_own_time() -> None:
    clock = ManualClock(1_700_000_000.9)
    with Server([503, 200]) as server:
        assert HttpSink(server.url, secret=SECRET, clock=clock).deliver(wake()).ok
    for headers, _ in server.got:
        low = {name.lower(): value for name, value in headers.items()}
        told = Signer(SECRET).headers("f" * 32, 1_700_000_000, as_line(wake()).encode())
        assert {name: low[name] for name in told} == told
        assert low["idempotency-key"] == low["webhook-id"]


@pytest.mark.parametrize(
    "secret", ["", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_?", "whsec_QUJD", "whsec_" + "A" * 96]
)
def test_what_is_no_secret_is_refused_without_repeating_it(secret: str) -> None:
    with pytest.raises(InputError, match="secret must") as caught:
        HttpSink("http://localhost/", secret=secret)
    assert not secret or secret.removeprefix("whsec_") not in str(caught.value)
