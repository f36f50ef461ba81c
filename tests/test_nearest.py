from __future__ import annotations

import pytest

from prefrontal.errors import InputError
from prefrontal.nearest import nearest, unknown_key
from prefrontal.settings import parse_settings


def test_the_nearest_name_is_found_whatever_its_case() -> None:
    assert nearest("Cooldwn_S", ["burst", "cooldown_s"]) == "cooldown_s"
    assert nearest("colour", ["burst", "cooldown_s"]) is None
    assert nearest(7, ["burst"]) is None


def test_the_nearest_key_stands_before_the_list_of_those_that_are_known() -> None:
    assert unknown_key("policy", "brst", ["burst", "overlap"]) == (
        "policy must have only known keys, got 'brst' (did you mean 'burst'?);"
        " known are burst, overlap"
    )


@pytest.mark.parametrize(
    ("settings", "meant"),
    [
        ({"threshld": 0.1}, "threshold"),
        ({"sinks": [{"exce": "x"}]}, "exec"),
        ({"sources": {"http": {"prot": 1}}}, "port"),
        ({"sources": {"network": [{"url": "x", "every": 3}]}}, "every_s"),
        ({"sources": {"mcp": [{"comand": "x"}]}}, "command"),
        ({"executive": {"links": {"trst": 1}}}, "trust"),
        ({"telemetry": {"metrics": {"prot": 1}}}, "port"),
        ({"routing": {"sandbox": {"max_memb": 1}}}, "max_mem_mb"),
        ({"policy": {"cooldwn_s": 1}}, "cooldown_s"),
        ({"identity": {"nmae": "x"}}, "name"),
    ],
)
def test_every_level_of_the_settings_names_the_nearest_key_first(
    settings: dict[str, object], meant: str
) -> None:
    with pytest.raises(InputError) as caught:
        parse_settings(settings)
    sentence = str(caught.value)
    assert 0 < sentence.index(f"did you mean {meant!r}") < sentence.index("known are")
