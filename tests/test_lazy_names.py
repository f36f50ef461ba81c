"""Packages load what they export at first use."""

from __future__ import annotations

from importlib import import_module

import pytest

PACKAGES = (
    *("prefrontal", "prefrontal.cortex", "prefrontal.ledger", "prefrontal.routing"),
    *("prefrontal.runtime", "prefrontal.settings", "prefrontal.testing"),
)


@pytest.mark.parametrize("name", PACKAGES)
def test_every_exported_name_is_there_and_listed(name: str) -> None:
    package = import_module(name)
    assert [one for one in dir(package) if one != "__version__"] == sorted(package.__all__)
    for exported in package.__all__:
        assert getattr(package, exported) is getattr(package, exported)


@pytest.mark.parametrize("name", PACKAGES)
def test_another_name_is_refused_with_the_packages_name(name: str) -> None:
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nonsense'"):
        _ = import_module(name).nonsense
