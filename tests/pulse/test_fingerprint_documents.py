"""Any document, good or damaged: it parses and comes back the same, or is refused in words."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.pulse.modules.fingerprint import parse_fingerprint

names = st.text(min_size=1).filter(str.strip)
extensions = st.from_regex(r"\.[A-Za-z0-9_]{1,8}", fullmatch=True)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
good_filesystem = st.fixed_dictionaries(
    {"watch_directories": st.lists(st.just("/data") | st.just("~"), min_size=1, max_size=3)},
    optional={
        "relevant_extensions": st.lists(extensions.map(str.lower), max_size=3),
        "irrelevant_extensions": st.lists(extensions.map(lambda e: f".not_{e[1:]}"), max_size=3),
    },
)
good_memory = st.fixed_dictionaries(
    {"watch_namespaces": st.lists(st.text(), min_size=1, max_size=3)},
    optional={"high_relevance_keys": st.lists(st.text(), max_size=3)},
)
hour = st.integers(0, 23)
good_time = st.fixed_dictionaries(
    {"active_hours": st.lists(hour, min_size=2, max_size=2)},
    optional={
        "active_days": st.lists(st.integers(0, 6), min_size=1),
        "typical_interval_hours": st.floats(0, exclude_min=True, allow_infinity=False)
        | st.integers(1, 1000),
    },
)
some = st.lists(names, min_size=1, max_size=3)
good_sources = {
    "git": {"repositories": st.just(["/src/gate"]), "paths": some, "branches": some},
    "logs": {"files": some.filter(lambda given: "\0" not in "".join(given)), "contains": some},
    "http": {"sources": st.just(["ci"]), "types": some, "locations": some},
    "mcp": {"servers": some, "resources": some},
    "github": {"repositories": some, "events": some},
    "network": {"endpoints": some},
    "mail": {"folders": some, "senders": some},
}
good_documents = st.fixed_dictionaries(
    {
        "module_id": names,
        "cluster": names,
        "version": names,
        "question_template": st.sampled_from(["{location}", " {{{basename}}} at {location}? "]),
        "default_threshold": st.floats(0, 1) | st.sampled_from([0, 1, -0.0]),
    },
    optional={
        "signal_priors": st.fixed_dictionaries(
            {},
            optional={
                "filesystem": good_filesystem,
                "memory": good_memory,
                "time": good_time,
                **{
                    name: st.fixed_dictionaries({}, optional=fields)
                    for name, fields in good_sources.items()
                },
            },
        )
    },
)


@st.composite
def damaged_documents(draw: st.DrawFn) -> Any:
    """A good document in which one value, at any depth, became any JSON value."""
    raw = draw(good_documents)
    target: Any = raw
    while True:
        places = list(target) if isinstance(target, dict) else list(range(len(target)))
        place = draw(st.sampled_from([*places, "new"] if isinstance(target, dict) else places))
        inner = target.get(place) if isinstance(target, dict) else target[place]
        if not isinstance(inner, (dict, list)) or not inner or draw(st.booleans()):
            target[place] = draw(json_values)
            return raw
        target = inner


@given(good_documents)
@settings(deadline=None)
def test_every_good_document_parses_and_comes_back_the_same(raw: dict[str, Any]) -> None:
    fingerprint = parse_fingerprint(raw)
    through_json = json.loads(json.dumps(fingerprint.to_dict()))
    again = parse_fingerprint(through_json)
    assert again == fingerprint
    assert again.digest() == fingerprint.digest()


@given(damaged_documents() | st.dictionaries(st.text(), json_values))
@settings(deadline=None, max_examples=300)
def test_any_document_parses_or_is_refused_with_a_sentence(raw: dict[str, Any]) -> None:
    refused = None
    try:
        fingerprint = parse_fingerprint(raw)
    except InputError as error:
        refused = str(error)
    if refused is not None:
        assert " must " in refused
        assert ", got " in refused
        return
    assert parse_fingerprint(fingerprint.to_dict()) == fingerprint
    assert np.isfinite(fingerprint.slot_relevance_mask()).all()
