"""Saving what modules learned and loading it again, from whole files and from damaged ones."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.errors import InputError, SourceError
from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.pulse.learning.rules import find_rule

from .sample_modules import DOWNLOADS, EVENINGS, FILES, file, fingerprint, tick

WINDOWS = [
    [file()],
    [file(f"{DOWNLOADS}/a.tmp")],
    [tick()],
    [file("/x/y.py", actor="jane"), tick()],
]


def learned(lessons: int = 40) -> LimbicLayer:
    limbic = LimbicLayer(utc=True)
    limbic.register("homework", fingerprint(filesystem=FILES, time=EVENINGS))
    limbic.register("été", fingerprint(filesystem=FILES))
    for number in range(lessons):
        window = WINDOWS[number % len(WINDOWS)]
        limbic.update_weights(("homework", "été")[number % 3 % 2], window, float(number % 5 < 2))
    return limbic


def scores(limbic: LimbicLayer) -> list[dict[str, float]]:
    return [limbic.score_all(window) for window in WINDOWS]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    learned().save(tmp_path / "model")
    return tmp_path / "model"


def test_a_fresh_process_scores_and_saves_the_same_bits_after_loading(saved: Path) -> None:
    limbic = LimbicLayer(utc=True)
    assert limbic.load(saved) == {"homework": "created", "été": "created"}
    assert scores(limbic) == scores(learned())
    limbic.save(saved.with_name("again"))
    assert saved.with_name("again").read_bytes() == saved.read_bytes()


def test_learning_goes_on_after_loading_as_if_nothing_had_happened(saved: Path) -> None:
    loaded, never_saved = LimbicLayer(utc=True), learned()
    loaded.load(saved)
    for limbic in (loaded, never_saved):
        for window in WINDOWS:
            limbic.update_weights("homework", window, 0.75)
    assert scores(loaded) == scores(never_saved)


def test_loading_says_what_became_of_each_module(saved: Path) -> None:
    limbic = LimbicLayer(utc=True)
    limbic.register("homework", fingerprint(0.9, filesystem=FILES, time=EVENINGS))
    limbic.register("été", fingerprint(filesystem=FILES | {"relevant_extensions": [".md"]}))
    limbic.register("bystander", fingerprint(filesystem=FILES))
    fresh = scores(limbic)
    assert limbic.load(saved) == {"homework": "restored", "été": "changed"}
    for before, after, trained in zip(fresh, scores(limbic), scores(learned()), strict=True):
        assert after["homework"] == trained["homework"]
        assert after["été"] == before["été"]
        assert after["bystander"] == before["bystander"]


def test_loading_twice_restores_what_was_saved(saved: Path) -> None:
    limbic = learned()
    limbic.update_weights("homework", WINDOWS[0], 0.0)
    assert set(limbic.load(saved).values()) == {"restored"}
    assert scores(limbic) == scores(learned())


def test_a_rule_is_given_again_after_loading_and_keeps_what_it_learned(tmp_path: Path) -> None:
    found = find_rule(
        ([file(f"/{place}/{n}.py")], place == "a") for n in range(9) for place in "ab"
    )
    limbic, loaded = learned(), LimbicLayer(utc=True)
    limbic.start_from("homework", found.rule)
    for _ in range(10):
        limbic.update_weights("homework", [file("/a/x.py")], 0.0)
    limbic.save(tmp_path / "model")
    loaded.load(tmp_path / "model")
    loaded.start_from("homework", found.rule)
    assert scores(loaded) == scores(limbic)


def test_an_empty_layer_can_be_saved_and_loaded(tmp_path: Path) -> None:
    LimbicLayer().save(tmp_path / "model")
    assert learned().load(tmp_path / "model") == {}


def test_saving_replaces_the_file_whole_and_leaves_nothing_beside_it(saved: Path) -> None:
    before = saved.read_bytes()
    learned(lessons=200).save(saved)
    assert saved.read_bytes() != before
    assert [path.name for path in saved.parent.iterdir()] == ["model"]


@pytest.mark.parametrize("place", ["missing/model", "."])
def test_saving_where_it_cannot_be_is_refused_with_the_path(tmp_path: Path, place: str) -> None:
    with pytest.raises(SourceError, match=r"cannot be written: "):
        learned().save(tmp_path / place)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        LimbicLayer().load(tmp_path / "nothing")


@pytest.mark.parametrize(
    "foreign",
    [b"", b"P", b"PFLM", b"PFLM" + bytes(8), b"\x80\x04PFLM", b"{}", b"\x1f\x8b" + bytes(40)],
)
def test_a_foreign_file_is_refused_and_changes_nothing(tmp_path: Path, foreign: bytes) -> None:
    (tmp_path / "model").write_bytes(foreign)
    limbic = learned()
    before = scores(limbic)
    with pytest.raises(InputError, match=r"model: model file .*must .*, got "):
        limbic.load(tmp_path / "model")
    assert scores(limbic) == before


def test_a_file_of_a_later_version_is_refused_by_its_version(saved: Path) -> None:
    body = b"PFLM" + struct.pack("<I", 4) + saved.read_bytes()[8:-4]
    saved.write_bytes(body + struct.pack("<I", zlib.crc32(body)))
    with pytest.raises(InputError, match=r"model file version must be 1 to 3, got 4$"):
        LimbicLayer().load(saved)


def test_a_file_with_more_behind_its_modules_is_refused(saved: Path) -> None:
    body = saved.read_bytes()[:-4] + b"more"
    saved.write_bytes(body + struct.pack("<I", zlib.crc32(body)))
    with pytest.raises(InputError, match=r"model file must end after its modules, got more bytes$"):
        LimbicLayer().load(saved)


def test_a_file_with_an_id_that_is_no_text_is_refused_and_changes_nothing(saved: Path) -> None:
    body = saved.read_bytes()[:-4].replace("été".encode(), b"\xfft\xc3\xa9\xa9")
    saved.write_bytes(body + struct.pack("<I", zlib.crc32(body)))
    limbic = learned(lessons=4)
    before = scores(limbic)
    with pytest.raises(InputError):
        limbic.load(saved)
    assert scores(limbic) == before


def small_model(folder: Path) -> bytes:
    limbic = LimbicLayer()
    for name in ("a", "bb"):
        limbic.register(name, fingerprint())
    limbic.save(folder / "model")
    return (folder / "model").read_bytes()


def test_no_flipped_bit_and_no_cut_goes_unnoticed(tmp_path: Path) -> None:
    whole = small_model(tmp_path)
    damaged = [whole[:at] for at in range(len(whole))] + [whole + b"\0"]
    for at in range(len(whole)):
        flipped = bytes([whole[at] ^ (1 << at % 8)])
        damaged.append(whole[:at] + flipped + whole[at + 1 :])
    limbic = learned(lessons=4)
    before = scores(limbic)
    for content in damaged:
        (tmp_path / "model").write_bytes(content)
        with pytest.raises(InputError):
            limbic.load(tmp_path / "model")
    assert scores(limbic) == before


@given(data=st.data())
@settings(deadline=None, max_examples=150)
def test_bytes_that_only_look_whole_are_loaded_or_refused_and_never_half_loaded(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("models")
    body = bytearray(small_model(folder)[:-4])
    for _ in range(data.draw(st.integers(1, 3))):
        body[data.draw(st.integers(8, len(body) - 1))] = data.draw(st.integers(0, 255))
    (folder / "model").write_bytes(bytes(body) + struct.pack("<I", zlib.crc32(body)))
    limbic = learned(lessons=4)
    before = scores(limbic)
    try:
        outcome = limbic.load(folder / "model")
    except InputError:
        assert scores(limbic) == before
    else:
        assert set(limbic.modules()) == {"homework", "été", *outcome}
        for each in scores(limbic):
            assert set(each) == set(limbic.modules())


def test_what_was_loaded_before_a_module_was_registered_stays(tmp_path: Path) -> None:
    one, other = learned(), LimbicLayer(utc=True)
    one.save(tmp_path / "weights")
    assert other.load(tmp_path / "weights")["homework"] == "created"
    same = fingerprint(filesystem=FILES, time=EVENINGS)
    other.register("homework", same)
    assert other.score("homework", WINDOWS[0]) == one.score("homework", WINDOWS[0])
    other.register("homework", same)  # once more is to start again
    fresh = LimbicLayer(utc=True)
    fresh.register("homework", same)
    assert other.score("homework", WINDOWS[0]) == fresh.score("homework", WINDOWS[0])
    assert other.score("homework", WINDOWS[0]) != one.score("homework", WINDOWS[0])


def test_what_was_loaded_for_other_priors_is_not_taken(tmp_path: Path) -> None:
    one, other = learned(), LimbicLayer(utc=True)
    one.save(tmp_path / "weights")
    other.load(tmp_path / "weights")
    other.register("homework", fingerprint(filesystem=FILES))
    fresh = LimbicLayer(utc=True)
    fresh.register("homework", fingerprint(filesystem=FILES))
    assert other.score("homework", WINDOWS[0]) == fresh.score("homework", WINDOWS[0])
