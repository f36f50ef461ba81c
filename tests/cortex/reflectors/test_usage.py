from __future__ import annotations

import pytest

from prefrontal.cortex.reflectors.subagent import RawReply
from prefrontal.cortex.reflectors.usage import Usage


def test_what_a_model_counted_is_added_up() -> None:
    usage = Usage()
    for tokens in (7, 8.0):
        usage.add(RawReply("text", "", tokens, 3), "prompt")  # type: ignore[arg-type]
    assert (usage.tokens_in, usage.tokens_out, usage.counted) == (15, 6, True)
    assert isinstance(usage.tokens_in, int)


@pytest.mark.parametrize("wrong", [None, -1, "12", float("nan"), float("inf"), True, [1]])
def test_what_is_no_count_is_estimated(wrong: object) -> None:
    for pair in ((wrong, 3), (3, wrong)):
        usage = Usage()
        usage.add(RawReply("x" * 8, "", *pair), "y" * 40)
        assert (usage.tokens_in, usage.tokens_out, usage.counted) == (10, 2, False)
