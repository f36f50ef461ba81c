"""Who is concerned by a window: by place, kind and source, before anything is scored."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal._core import pulse as core
from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.pulse.learning.rules import find_rule
from prefrontal.pulse.modules.fingerprint import ModuleFingerprint
from prefrontal.pulse.modules.routes import Interests, interests
from prefrontal.types import SignalEvent

from .sample_modules import DOWNLOADS, EVENINGS, FILES, MONDAY_EVENING, file, fingerprint, tick


def event(source: str, location: str, **features: object) -> SignalEvent:
    return SignalEvent(source, location, "modified", 1.0, MONDAY_EVENING, features)


def memory(location: str, **features: object) -> SignalEvent:
    return event("memory", location, **features)


MODULES = {
    "files": fingerprint(filesystem=FILES),
    "files on time": fingerprint(filesystem=FILES, time=EVENINGS),
    "clock": fingerprint(time=EVENINGS),
    "notes": fingerprint(memory={"watch_namespaces": ["notes", "user/prefs"]}),
    "all ears": fingerprint(),
}


def routed(*window: SignalEvent) -> set[str]:
    routes = core.Routes()
    for name, each in MODULES.items():
        routes.add(name, **interests(each))
    found = routes.match(list(window))
    assert found == sorted(found)
    assert "all ears" in found
    return set(found) - {"all ears"}


BOTH = {"files", "files on time"}


@pytest.mark.parametrize(
    ("location", "concerned"),
    [
        (f"{DOWNLOADS}/hw3.pdf", BOTH),
        (f"{DOWNLOADS}/a/b/c.unheard", BOTH),
        (DOWNLOADS, BOTH),
        (f"{DOWNLOADS}/", BOTH),
        (f"{DOWNLOADS}//./x/../hw3.pdf", BOTH),
        (f"{DOWNLOADS}/../Documents/hw3.pdf", set()),
        (f"/../..{DOWNLOADS}/hw3.pdf", BOTH),
        (f"{DOWNLOADS}2/hw3.pdf", set()),
        ("/home/user/hw3.pdf", set()),
        (DOWNLOADS[1:] + "/hw3.pdf", set()),
        (f"{DOWNLOADS}/x.tmp", set()),
        (f"{DOWNLOADS}/x.TMP", set()),
        (f"{DOWNLOADS}/x.tmp.pdf", BOTH),
        ("", set()),
        ("/", set()),
    ],
)
def test_a_file_concerns_who_watches_its_folder_unless_its_kind_is_irrelevant(
    location: str, concerned: set[str]
) -> None:
    assert routed(file(location)) == concerned


def test_the_kind_that_the_source_tells_counts_before_the_name() -> None:
    assert routed(file(f"{DOWNLOADS}/x", extension=".Tmp")) == set()
    assert routed(file(f"{DOWNLOADS}/x.tmp", extension=".pdf")) == BOTH


def test_a_kind_of_two_suffixes_can_be_irrelevant() -> None:
    routes = core.Routes()
    routes.add("m", directories=["/srv"], irrelevant_extensions=[".tar.gz"])
    assert routes.match([file("/srv/a.TAR.gz")]) == []
    assert routes.match([file("/srv/a.gz")]) == ["m"]


def test_a_watched_root_sees_every_absolute_path() -> None:
    routes = core.Routes()
    routes.add("root", directories=["/"])
    assert routes.match([file("/any/thing")]) == ["root"]
    assert routes.match([file("relative/thing")]) == []


@pytest.mark.parametrize(
    ("signal", "concerned"),
    [
        (memory("notes"), {"notes"}),
        (memory("notes/study"), {"notes"}),
        (memory("notes2"), set()),
        (memory("user"), set()),
        (memory("user/prefs"), {"notes"}),
        (memory("somewhere", namespace="notes"), {"notes"}),
        (memory("somewhere", namespace=None), set()),
        (tick(), {"clock", "files on time"}),
        (event("network", "https://x"), set(MODULES) - {"all ears"}),
        (event("git", "repository"), set(MODULES) - {"all ears"}),
        (event("", ""), set(MODULES) - {"all ears"}),
    ],
)
def test_other_signals_concern_who_declared_them(signal: SignalEvent, concerned: set[str]) -> None:
    assert routed(signal) == concerned


def test_a_window_concerns_everybody_whom_one_of_its_events_concerns() -> None:
    assert routed(file("/elsewhere"), tick()) == {"clock", "files on time"}
    assert routed(file(), memory("notes")) == {*BOTH, "notes"}
    assert core.Routes().match([file()]) == []
    with pytest.raises(TypeError, match="window must be a list of SignalEvent, got 5"):
        core.Routes().match(5)  # type: ignore[arg-type]


def test_an_empty_window_concerns_nobody() -> None:
    routes = core.Routes()
    routes.add("m")
    assert routes.match([]) == []


def test_a_module_added_again_or_removed_leaves_nothing_behind() -> None:
    routes = core.Routes()
    routes.add("m", directories=["/a", "/a", "/a/b"], namespaces=["n"], ticks=True)
    routes.add("other", directories=["/a/b/c"])
    routes.add("m", directories=["/z"])
    assert routes.match([file("/a/b/c/d"), memory("n"), tick()]) == ["other"]
    assert routes.match([file("/z/d")]) == ["m"]
    assert routes.remove("m")
    assert not routes.remove("m")
    assert routes.modules() == ["other"]
    routes.add("new", ticks=True)
    assert routes.match([file("/z/d"), tick()]) == ["new"]


def layer(modules: dict[str, ModuleFingerprint]) -> LimbicLayer:
    limbic = LimbicLayer(utc=True)
    for name, each in modules.items():
        limbic.register(name, each)
    return limbic


WINDOWS = [[file()], [file("/x")], [tick()], [memory("notes/a")], [event("git", "r")], []]


@pytest.mark.parametrize("crowd", [0, 100])
def test_who_is_concerned_scores_as_ever_and_nobody_else_is_scored(crowd: int) -> None:
    """In a crowd the few concerned are summed one by one, otherwise all are."""
    elsewhere = fingerprint(filesystem={"watch_directories": ["/elsewhere"]})
    limbic = layer(MODULES | {f"crowd {number}": elsewhere for number in range(crowd)})
    rule = find_rule(([file(f"/{at}/{n}.py")], at == "a") for n in range(9) for at in "ab").rule
    limbic.start_from("files", rule)
    limbic.start_from("clock", rule)
    for window in WINDOWS:
        for name in limbic.modules():
            limbic.update_weights(name, window, 1.0)
    for window in WINDOWS:
        scores = limbic.score_routed(window)
        other = bool(window) and window[0].source == "git"
        expected = {"all ears", *routed(*window)} if window else set()
        assert set(scores) == (set(limbic.modules()) if other else expected)
        assert list(scores) == sorted(scores)
        assert scores == {name: limbic.score(name, window) for name in scores}


def test_a_module_that_left_is_not_scored_and_one_that_was_only_loaded_always_is(
    tmp_path: Path,
) -> None:
    limbic = layer(MODULES)
    limbic.save(tmp_path / "model")
    limbic.unregister("files")
    assert set(limbic.score_routed([file()])) == {"files on time", "all ears"}
    loaded = layer({"files": MODULES["files"]})
    loaded.load(tmp_path / "model")
    assert set(loaded.score_routed([file("/elsewhere")])) == set(MODULES) - {"files"}
    loaded.register("clock", MODULES["clock"])
    assert "clock" not in loaded.score_routed([file("/elsewhere")])


def test_modules_come_and_go_while_windows_are_routed() -> None:
    limbic, done = layer(MODULES), Event()

    def come_and_go() -> None:
        for number in range(300):
            limbic.register(f"visitor {number % 3}", fingerprint(filesystem=FILES))
            limbic.unregister(f"visitor {(number + 1) % 3}")
        done.set()

    def score() -> int:
        count = 0
        while not done.is_set() or count < 100:
            found = set(limbic.score_routed([file()]))
            assert {*BOTH, "all ears"} <= found
            assert all(name.startswith("visitor") for name in found - {*BOTH, "all ears"})
            count += 1
        return count

    with ThreadPoolExecutor(3) as pool:
        work = [pool.submit(score), pool.submit(score)]
        pool.submit(come_and_go).result()
        assert min(each.result() for each in work) >= 100


names = st.sampled_from(["a", "b", "c"])
paths = st.lists(names, max_size=4).map(lambda parts: "/" + "/".join(parts))
suffixes = st.sampled_from([".x", ".Y", ".z"])
wishes = st.fixed_dictionaries(
    {
        "directories": st.lists(paths, max_size=3),
        "irrelevant_extensions": st.lists(suffixes, max_size=2),
        "namespaces": st.lists(paths.map(lambda path: path[1:] or "a"), max_size=2),
        "ticks": st.booleans(),
    }
)
signals = (
    st.tuples(paths, names, st.sampled_from(["", ".x", ".X", ".y", ".z"])).map(
        lambda place: file(f"{place[0].rstrip('/')}/{place[1]}{place[2]}")
    )
    | paths.map(lambda path: memory(path[1:] or "b"))
    | st.just(tick())
    | st.just(event("git", "/a/b"))
)


def concerns(wish: Interests, signal: SignalEvent) -> bool:
    if not (wish["directories"] or wish["namespaces"] or wish["ticks"]):
        return True
    if signal.source == "filesystem":
        path = PurePosixPath(signal.location)
        refused = {extension.lower() for extension in wish["irrelevant_extensions"]}
        below = any(path.is_relative_to(each) for each in wish["directories"])
        return below and path.suffix.lower() not in refused
    if signal.source == "memory":
        place = PurePosixPath(signal.location)
        return any(place.is_relative_to(each) for each in wish["namespaces"])
    return wish["ticks"] if signal.source == "time" else True


@given(
    st.lists(st.tuples(st.integers(0, 5), wishes | st.none()), max_size=12),
    st.lists(st.lists(signals, max_size=3), min_size=1, max_size=5),
)
@settings(deadline=None, max_examples=300)
def test_any_modules_get_what_a_plain_reference_gives_them(
    steps: list[tuple[int, Interests | None]], windows: list[list[SignalEvent]]
) -> None:
    routes, wanted = core.Routes(), dict[str, Interests]()
    for number, wish in steps:
        name = f"m{number}"
        if wish is None:
            assert routes.remove(name) == (wanted.pop(name, None) is not None)
        else:
            routes.add(name, **wish)
            wanted[name] = wish
    assert routes.modules() == sorted(wanted)
    for window in windows:
        expected = {n for n, w in wanted.items() if any(concerns(w, each) for each in window)}
        assert routes.match(window) == sorted(expected)
