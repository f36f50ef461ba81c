"""What reads what others write takes bent texts, or refuses them in a short sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import fuzz
from fuzz_targets import FuzzTarget, targets
from prefrontal.errors import PrefrontalError, SourceError
from prefrontal.routing import ToolIndex
from sealed_files import sealed_index, sealed_weights

from ..exhaustive import first

FEW = 150


def found(target: FuzzTarget, inputs: int = FEW) -> set[str]:
    """Kinds of faults; how long it takes is for the benchmark."""
    faults, mutations = fuzz.Faults(), fuzz.Mutations(target.seeds, 1)
    for _ in range(inputs):
        faults.check(target, mutations.next())
    return faults.found.keys() - {"takes long"}


@pytest.mark.parametrize("name", first(2, list(targets())))
def test_bent_texts_are_taken_or_refused(name: str) -> None:
    assert found(targets()[name]) == set()


def test_a_careless_reader_is_found() -> None:
    assert found(FuzzTarget(fuzz.careless, (b"{}",))) == {"KeyError in careless"}


def test_a_reader_that_says_too_much_is_found() -> None:
    def talkative(data: bytes) -> None:
        raise PrefrontalError("no " * 200)

    assert found(FuzzTarget(talkative, (b"a",)), 1) == {"says too much"}


@pytest.mark.parametrize(
    ("name", "seal"), [("sealed weights", sealed_weights), ("sealed tool index", sealed_index)]
)
def test_a_seal_is_the_checksum_that_was_saved(name: str, seal: Callable[[bytes], bytes]) -> None:
    (saved,) = targets()[name].seeds
    assert seal(saved) == saved


def test_a_name_that_is_no_text_is_refused_under_a_right_checksum(tmp_path: Path) -> None:
    (saved,) = targets()["sealed tool index"].seeds
    file = tmp_path / "index"
    file.write_bytes(sealed_index(saved.replace(b"mail", b"m\xffil")))
    with pytest.raises(SourceError, match="its parts do not fit together"):
        ToolIndex.load(str(file))


def test_the_same_seed_bends_alike() -> None:
    one, other = (fuzz.Mutations((b"ab cd",), 3) for _ in range(2))
    assert [one.next() for _ in range(50)] == [other.next() for _ in range(50)]
