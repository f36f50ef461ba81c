"""Who is concerned by a window: by place, kind and source, before anything is scored."""

from __future__ import annotations

import re
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
from prefrontal.pulse.modules.source_interest import Condition, How, SourceInterest
from prefrontal.pulse.modules.source_priors import NAMED_SOURCES
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
    "commits": fingerprint(git={"repositories": ["/src/gate"], "paths": ["*.py", "/doc"]}),
    "main": fingerprint(git={"branches": ["main", "release/*"]}),
    "errors": fingerprint(logs={"files": ["/var/log/*.log", "app"], "contains": ["ERROR"]}),
    "builds": fingerprint(http={"sources": ["ci"], "types": ["failed", "build.*"]}),
    "programs": fingerprint(http={}),
    "tickets": fingerprint(mcp={"servers": ["tickets"], "resources": ["ticket://**/open"]}),
    "pulls": fingerprint(github={"repositories": ["Ada/*"], "events": ["push", "issues.opened"]}),
    "pages": fingerprint(network={"endpoints": ["https://example.org/status"]}),
    "meetings": fingerprint(calendar={"calendars": ["team"], "events": ["begins"]}),
    "bank": fingerprint(mail={"folders": ["INBOX", "ada/Alerts"], "senders": ["*@Bank.example"]}),
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
        (event("network", "https://example.org/status/7"), {"pages"}),
        (event("network", "https://example.org/"), set()),
        (event("git", "/src/gate/a/b.py", path="a/b.py"), {"commits"}),
        (event("git", "/src/gate/x.rs", path="x.rs", old_path="x.py"), {"commits"}),
        (event("git", "/src/gate/doc/x", path="doc/x", branch="main"), {"commits", "main"}),
        (event("git", "/src/gate/a/doc", path="a/doc", branch="release/2"), {"main"}),
        (event("git", "a.py", path="a.py", repository="/src/./gate", branch="x"), {"commits"}),
        (event("git", "/src/gate2/a.py", path="a.py", branch="mainly"), set()),
        (event("git", "/src/gate"), set()),
        (event("log", "/var/log//a.log", text="an ERROR"), {"errors"}),
        (event("log", "/srv/app", text="ERROR"), {"errors"}),
        (event("log", "/srv/app", text="Error"), set()),
        (event("log", "/var/log/old/a.log", text="ERROR"), set()),
        (event("ci", "main"), {"programs"}),
        (SignalEvent("ci", "main", "failed", 1.0, 0.0), {"builds", "programs"}),
        (SignalEvent("ci", "main", "build.ended", 1.0, 0.0), {"builds", "programs"}),
        (event("cloudevent", "/orders"), {"programs"}),
        (event("", ""), {"programs"}),
        (event("mcp", "ticket://17/open", server="tickets"), {"tickets"}),
        (event("mcp", "ticket://17/open", server="others"), set()),
        (event("mcp", "ticket://17/shut", server="tickets"), set()),
        (SignalEvent("github", "h", "push", 1.0, 0.0, {"repository": "ada/x"}), {"pulls"}),
        (SignalEvent("github", "h", "issues.shut", 1.0, 0.0, {"repository": "ADA/x"}), set()),
        (SignalEvent("github", "h", "push", 1.0, 0.0, {"repository": "bob/x"}), set()),
        (SignalEvent("github", "h", "push", 1.0, 0.0), set()),
        (SignalEvent("calendar", "team", "begins", 1.0, 0.0), {"meetings"}),
        (SignalEvent("calendar", "team", "cancelled", 1.0, 0.0), set()),
        (SignalEvent("calendar", "home", "begins", 1.0, 0.0), set()),
        (event("mail", "bob/INBOX", sender="Tell@BANK.example"), {"bank"}),
        (event("mail", "ada/Alerts", sender="tell@bank.example"), {"bank"}),
        (event("mail", "bob/Alerts", sender="tell@bank.example"), set()),
        (event("mail", "ada/INBOX", sender="bob@example.org"), set()),
    ],
)
def test_other_signals_concern_who_declared_them(signal: SignalEvent, concerned: set[str]) -> None:
    assert routed(signal) == concerned


def test_a_window_concerns_everybody_whom_one_of_its_events_concerns() -> None:
    assert routed(file("/elsewhere"), tick()) == {"clock", "files on time"}
    assert routed(event("ci", "x"), tick()) == {"clock", "files on time", "programs"}
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


def test_before_version_4_a_source_without_a_folder_reached_every_module() -> None:
    routes = core.Routes()
    for name, each in MODULES.items():
        routes.add(name, **interests(each, undeclared=True))
    for signal in (event("git", "/x"), event("network", "https://x"), event("ci", "x")):
        assert routes.match([signal]) == sorted(MODULES)
    assert routes.match([file("/elsewhere")]) == ["all ears"]
    limbic = LimbicLayer(undeclared=True)
    limbic.register("files", MODULES["files"])
    assert list(limbic.score_routed([event("git", "/x")])) == ["files"]


def test_a_way_to_match_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^unknown way to match: glob$"):
        core.Routes().add("m", sources=[("git", [(["path"], "glob", ["a"])])])


def layer(modules: dict[str, ModuleFingerprint]) -> LimbicLayer:
    limbic = LimbicLayer(utc=True)
    for name, each in modules.items():
        limbic.register(name, each)
    return limbic


WINDOWS = [
    [file()], [file("/x")], [tick()], [memory("notes/a")], [event("git", "r", branch="main")],
    [event("ci", "x"), file()], [],
]  # fmt: skip


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
        assert set(scores) == ({"all ears", *routed(*window)} if window else set())
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
patterns = st.lists(
    st.sampled_from(["a", "b", "c", "*", "**", "a*", "*b", "a*c", "**c", "ab"]),
    min_size=1,
    max_size=4,
).map("/".join)
ways: st.SearchStrategy[How] = st.sampled_from(["path", "pattern", "any_case", "contains"])
fields = st.lists(st.sampled_from(["location", "path", "text", "delta_type"]), max_size=2)
conditions = st.tuples(fields, ways, st.lists(patterns, max_size=2)).map(lambda it: Condition(*it))
sources = st.sampled_from(["git", "log", "ci", ""])
wanted_sources = st.tuples(sources, st.lists(conditions, max_size=2)).map(
    lambda it: SourceInterest(*it)
)
wishes = st.fixed_dictionaries(
    {
        "directories": st.lists(paths, max_size=3),
        "irrelevant_extensions": st.lists(suffixes, max_size=2),
        "namespaces": st.lists(paths.map(lambda path: path[1:] or "a"), max_size=2),
        "ticks": st.booleans(),
        "sources": st.lists(wanted_sources, max_size=2),
        "undeclared": st.integers(0, 9).map(lambda number: number == 0),
    }
)
signals = (
    st.tuples(paths, names, st.sampled_from(["", ".x", ".X", ".y", ".z"])).map(
        lambda place: file(f"{place[0].rstrip('/')}/{place[1]}{place[2]}")
    )
    | paths.map(lambda path: memory(path[1:] or "b"))
    | st.just(tick())
    | st.tuples(st.sampled_from(["git", "log", "ci", "x"]), paths, paths, paths).map(
        lambda told: event(told[0], told[1], path=told[2][1:], text=told[3].upper())
    )
)


def matching(pattern: str, name: str) -> bool:
    """A plain reference of patterns: as a regular expression, the longest wildcard first."""
    pieces = re.split(r"(\*\*/|\*\*|\*)", pattern.rstrip("/"))
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    regex = "".join(wild.get(piece, re.escape(piece)) for piece in pieces)
    return re.fullmatch(f"{regex}(?:/.*)?", name, re.DOTALL) is not None


def holds(condition: Condition, signal: SignalEvent) -> bool:
    told = {"location": signal.location, "delta_type": signal.delta_type} | signal.features
    values = [str(told[name]) for name in condition.fields if told.get(name)]
    if condition.how == "contains":
        return any(pattern in value for value in values for pattern in condition.patterns)
    if condition.how == "any_case":
        values = [value.lower() for value in values]
    if condition.how == "path":
        values = [str(PurePosixPath(value)) for value in values]
    return any(matching(pattern, value) for value in values for pattern in condition.patterns)


def concerns(wish: Interests, signal: SignalEvent) -> bool:
    if not (wish["directories"] or wish["namespaces"] or wish["ticks"] or wish["sources"]):
        return True
    if signal.source == "filesystem":
        path = PurePosixPath(signal.location)
        refused = {extension.lower() for extension in wish["irrelevant_extensions"]}
        below = any(path.is_relative_to(each) for each in wish["directories"])
        return below and path.suffix.lower() not in refused
    if signal.source == "memory":
        place = PurePosixPath(signal.location)
        return any(place.is_relative_to(each) for each in wish["namespaces"])
    if signal.source == "time":
        return wish["ticks"]
    names = {signal.source} if signal.source in NAMED_SOURCES else {signal.source, ""}
    return wish["undeclared"] or any(
        each.source in names and all(holds(it, signal) for it in each.conditions)
        for each in wish["sources"]
    )


@given(patterns, st.lists(st.text("abc./", max_size=4), max_size=5).map("/".join))
@settings(deadline=None, max_examples=500)
def test_a_pattern_matches_what_a_regular_expression_does(pattern: str, name: str) -> None:
    routes = core.Routes()
    routes.add("m", sources=[("x", [(["location"], "pattern", [pattern])])])
    assert bool(routes.match([event("x", name)])) == (name != "" and matching(pattern, name))


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
