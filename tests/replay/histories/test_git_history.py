from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from prefrontal.errors import InputError
from prefrontal.replay.histories.git_history import FILES_KEPT, Commit, GitHistory, Reached
from prefrontal.types import SignalEvent, Window

from .. import repositories

no_set_up, git, repository, commit, import_history = (
    repositories.no_set_up,
    repositories.git,
    repositories.repository,
    repositories.commit,
    repositories.import_history,
)

Git = repositories.Git


def kinds(window: Window) -> dict[str, str]:
    return {event.location: event.delta_type for event in window.events}


def test_a_commit_becomes_a_window_and_its_files_the_events(
    repository: Path, commit: Callable[..., str]
) -> None:
    first = commit("one\n\nwhy\nand how", {"a.py": "1", "b/c.txt": "1"}, at=100)
    second = commit("two", {"a.py": None, "b/c.txt": "2"}, at=200)
    features = {"actor": "Jane Doe", "text": "one"}
    windows = list(GitHistory(repository))
    assert windows[0] == Commit(
        key=first,
        time=100.0,
        events=(
            SignalEvent("filesystem", "a.py", "created", 1.0, 100.0, features),
            SignalEvent("filesystem", "b/c.txt", "created", 1.0, 100.0, features),
        ),
        actor="Jane Doe",
        text="one",
        body="why\nand how\n",
        files=2,
    )
    assert windows[0].events[0].features is windows[0].events[1].features
    assert windows[1].key == second
    assert kinds(windows[1]) == {"a.py": "deleted", "b/c.txt": "modified"}


@pytest.fixture
def merged(repository: Path, commit: Callable[..., str], git: Git) -> Path:
    """start - main work - merge of two side commits as a host does it - an empty commit."""
    commit("start", {"a": "1"}, at=100)
    git(repository, "checkout", "--quiet", "-b", "side")
    commit("side one", {"s1": "1"}, at=200)
    commit("side two", {"s2": "1", "a": "2"}, at=300)
    git(repository, "checkout", "--quiet", "main")
    commit("main work", {"m": "1"}, at=250)
    message = "Merge pull request #12 from bo/side\n\nTeach it to swim\n\nmore"
    git(repository, "merge", "--quiet", "--no-ff", "-m", message, "side", at=400)
    commit("nothing", {}, at=500)
    return repository


def test_a_merge_is_one_window_with_what_it_brought_and_its_title(merged: Path) -> None:
    history = GitHistory(merged)
    windows = list(history)
    assert [window.text for window in windows] == [
        "start",
        "main work",
        "Merge pull request #12 from bo/side: Teach it to swim",
    ]
    assert kinds(windows[2]) == {"a": "modified", "s1": "created", "s2": "created"}
    assert windows[2].events[0].features["text"] == windows[2].text
    assert history.count() == 4  # with the empty one
    assert history.notes == []


def test_all_commits_stand_alone_and_merges_are_left_out_when_asked(merged: Path) -> None:
    history = GitHistory(merged, all_commits=True)
    assert [window.text for window in history] == ["start", "side one", "main work", "side two"]
    assert history.count() == 5


def test_a_history_can_be_read_again(merged: Path) -> None:
    history = GitHistory(merged)
    assert list(history) == list(history)


def test_a_renamed_file_is_one_event_at_its_new_place(
    repository: Path, commit: Callable[..., str]
) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    commit("start", {"old/a.py": text, "b.py": "x"})
    commit("move", {"old/a.py": None, "new/a.py": text + "and one\n", "b.py": "y"})
    (_, window) = GitHistory(repository)
    assert kinds(window) == {"b.py": "modified", "new/a.py": "renamed"}
    assert window.events[1].features == window.events[0].features | {"old_location": "old/a.py"}
    assert "old_location" not in window.events[0].features


def test_links_binary_files_changed_types_and_submodules_are_files_like_others(
    repository: Path, commit: Callable[..., str], git: Git
) -> None:
    (repository / "raw").write_bytes(bytes(range(256)))
    (repository / "link").symlink_to("nowhere")
    head = commit("one", {"a": "1"})
    (repository / "raw").write_bytes(bytes(range(255, -1, -1)))
    (repository / "link").unlink()
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{head},module")
    (repository / "module").mkdir()
    commit("two", {"link": "now a file"})
    (one, two) = GitHistory(repository)
    assert kinds(one) == {"a": "created", "link": "created", "raw": "created"}
    assert kinds(two) == {"link": "modified", "module": "created", "raw": "modified"}


def test_messages_in_other_encodings_are_read(repository: Path, git: Git, tmp_path: Path) -> None:
    latin = tmp_path / "message"
    latin.write_bytes("Grüße".encode("latin-1"))
    git(repository, "config", "i18n.commitEncoding", "latin-1")
    (repository / "a").write_text("x")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "-F", str(latin))
    undeclared = (
        b"commit refs/heads/main\ncommitter J\xfcrg <j> 1000 +0000\ndata 5\n%b\n"
        b"from refs/heads/main^0\nM 100644 inline a\ndata 0\n\n" % latin.read_bytes()
    )
    git(repository, "fast-import", "--quiet", data=undeclared)
    declared, broken = GitHistory(repository)
    assert (declared.text, broken.text) == ("Grüße", "Gr\ufffd\ufffde")
    assert broken.actor == "J\ufffdrg"


@pytest.mark.parametrize(
    ("raw", "location"),
    [
        (b"line\nbreak\tand tab", "line\nbreak\tand tab"),
        (b"caf\xe9", "caf\ufffd"),
        ("日本 \U0001f600".encode(), "日本 \U0001f600"),
        (b"\x01looks like a header", "\x01looks like a header"),
        (b"M", "M"),
        (b"--output=x", "--output=x"),
        (b'quote"d', 'quote"d'),
        (b"\x1b[31m", "\x1b[31m"),
    ],
)
def test_odd_paths_are_taken_as_they_are(
    repository: Path, git: Git, raw: bytes, location: str
) -> None:
    for name in (raw, b"z"):
        Path(os.fsdecode(os.fsencode(repository) + b"/" + name)).write_bytes(b"1")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "-m", "odd")
    (window,) = GitHistory(repository)
    assert {event.location for event in window.events} == {location, "z"}


def test_a_giant_commit_is_cut_and_the_cut_is_told(
    import_history: Callable[..., Path],
) -> None:
    files = {f"f{number:05}": "" for number in range(FILES_KEPT + 1)}
    history = GitHistory(import_history([(1, "giant", files), (2, "small", {"f00000": "2"})]))
    (giant, small) = history
    assert len(giant.events) == FILES_KEPT
    assert (giant.files, small.files) == (FILES_KEPT + 1, 1)
    assert len(list(history)) == 2
    assert history.notes == [
        "1 commit changed more than 2,000 files: only so many of each were read"
    ]


def test_time_never_goes_back_and_a_wrong_clock_is_not_believed(repository: Path, git: Git) -> None:
    tree = git(repository, "hash-object", "-t", "tree", "-w", "--stdin")
    moments = ["0", "-5", "1000", "900", "4102444800", "", "x", "99999999999999999999", "2000"]
    parent = b""
    for place, moment in enumerate(moments):
        blob = git(repository, "hash-object", "-w", "--stdin", data=b"%d" % place)
        tree = git(repository, "mktree", data=f"100644 blob {blob}\ta\n".encode())
        raw = b"tree %b\n%bauthor J <j> %b +0000\ncommitter J <j> %b +0000\n\n%d" % (
            *(tree.encode(), parent, moment.encode(), moment.encode(), place),
        )
        made = git(
            repository, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", data=raw
        )
        parent = b"parent %b\n" % made.encode()
    git(repository, "update-ref", "refs/heads/main", made)
    assert [window.time for window in GitHistory(repository)] == [0, 0, *([1000] * 6), 2000]


@pytest.mark.parametrize(
    ("moments", "times"),
    [
        ([1000, 2000, 3000, 4000, 0], [1000, 2000, 3000, 3000, 3000]),
        ([5000, 4000, 3000, 2000, 1000], [4000] * 5),
        ([9000, 2000, 3000], [3000] * 3),
    ],
    ids=["a newest commit by a clock that was reset", "each before its parent", "a fast first one"],
)
def test_one_clock_that_was_wrong_dates_no_other_commit_to_1970(
    import_history: Callable[..., Path], moments: list[int], times: list[int]
) -> None:
    folder = import_history([(moment, str(moment), {"a": str(moment)}) for moment in moments])
    assert [window.time for window in GitHistory(folder)] == times


def test_since_until_and_limit_choose_among_the_commits(
    import_history: Callable[..., Path],
) -> None:
    days = [(day * 86_400, f"day {day}", {"a": str(day)}) for day in range(1, 8)]
    folder = import_history(days)

    def texts(**choice: str | int) -> list[str]:
        history = GitHistory(folder, now=8 * 86_400.0, **choice)  # type: ignore[arg-type]
        windows = [window.text.removeprefix("day ") for window in history]
        assert history.count() == len(windows)
        return windows

    assert texts(limit=2) == ["6", "7"]
    assert texts(since="4 days ago") == ["4", "5", "6", "7"]
    assert texts(until="1970-01-03T12:00Z") == ["1", "2"]
    assert texts(since="5 days ago", until="2 days ago", limit=3) == ["4", "5", "6"]
    assert texts(since="1 day ago") == ["7"]
    assert texts(since="1 hour ago") == []
    assert texts(until="1950-01-01") == []
    assert len(texts(since="1950-01-01")) == 7


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"since": "--output=x"}, "since must be an ISO date .* got '--output=x'"),
        ({"until": "garbage"}, "until must be an ISO date .* got 'garbage'"),
        ({"limit": 0}, "limit must be a whole number of at least 1, got 0"),
        ({"limit": True}, "limit must be a whole number of at least 1, got True"),
    ],
)
def test_a_bad_choice_is_refused_before_git_is_asked(
    tmp_path: Path, choice: dict[str, object], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        GitHistory(tmp_path / "missing", **choice)  # type: ignore[arg-type]


def no_child_is_left() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


LONG = 100_000


@pytest.fixture(scope="module")
def long_history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return history_of(LONG, tmp_path_factory.mktemp("long") / "long.git")


@pytest.fixture(scope="module")
def history_beyond_a_pipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """So much that git waits for its reader."""
    return history_of(10_000, tmp_path_factory.mktemp("long") / "long.git")


def history_of(commits: int, folder: Path) -> Path:
    quiet = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    quiet["GIT_CONFIG_GLOBAL"] = os.devnull
    command = ["git", "-C", str(folder.parent)]
    subprocess.run(
        [*command, "init", "--quiet", "--bare", "-b", "main", "long.git"], check=True, env=quiet
    )
    importer = subprocess.Popen(
        [*command, "--git-dir=long.git", "fast-import", "--quiet"], stdin=subprocess.PIPE, env=quiet
    )
    assert importer.stdin
    with importer.stdin as stream:
        for number in range(commits):
            stream.write(
                b"commit refs/heads/main\ncommitter J <j> %d +0000\ndata 9\nchange %-2d"
                b"\nM 100644 inline f%d\ndata 6\n%6d\n"
                % (1_000_000_000 + number * 60, number % 100, number % 20, number)
            )
    assert importer.wait() == 0
    return folder


@pytest.mark.exhaustive
def test_a_hundred_thousand_commits_are_read_in_order_and_in_little_memory(
    long_history: Path,
) -> None:
    program = (
        "import itertools, json, resource, sys\n"
        "from prefrontal.replay.histories.git_history import GitHistory\n"
        "history = GitHistory(sys.argv[1])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "times = [window.time for window in history]\n"
        "after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(json.dumps([history.count(), len(times), times[0], times == sorted(times),"
        " times[-1], (after - before) / 1024]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(long_history)], capture_output=True, check=True
    )
    count, read, first, ordered, last, grown_mib = json.loads(done.stdout)
    assert (count, read, ordered) == (LONG, LONG, True)
    assert (first, last) == (1_000_000_000, 1_000_000_000 + (LONG - 1) * 60)
    assert grown_mib < 12  # the list of times takes 3


@pytest.mark.exhaustive
@pytest.mark.parametrize("stop", [GeneratorExit, KeyboardInterrupt])
def test_git_is_ended_when_the_reading_stops(
    history_beyond_a_pipe: Path, stop: type[BaseException]
) -> None:
    windows = iter(GitHistory(history_beyond_a_pipe))
    next(windows)
    assert not no_child_is_left()
    with pytest.raises(stop):
        windows.throw(stop)  # type: ignore[attr-defined]
    assert no_child_is_left()


def test_a_history_is_read_on_from_where_it_was_read_to(
    repository: Path, commit: Callable[..., str], git: Git
) -> None:
    shas = [commit(f"change {n}", {"a": str(n)}, at=1_000 + n) for n in range(4)]
    shas.append(commit("dated before", {"a": "9"}, at=500))
    whole = list(GitHistory(repository))
    reached = Reached((shas[1],), whole[1].time)
    assert list(GitHistory(repository, reached=reached)) == whole[2:]
    assert GitHistory(repository, reached=reached).count() == 3
    assert list(GitHistory(repository, reached=Reached((shas[-1],), 1_003.0))) == []


def test_a_branch_is_read_whatever_is_checked_out(
    repository: Path, commit: Callable[..., str], git: Git
) -> None:
    first = commit("on main", {"a": "1"})
    git(repository, "checkout", "--quiet", "-b", "other")
    commit("on other", {"b": "1"})
    assert [each.key for each in GitHistory(repository, revision="refs/heads/main")] == [first]


def test_what_was_read_to_and_thrown_away_since_is_no_error(
    repository: Path, commit: Callable[..., str]
) -> None:
    sha = commit("one", {"a": "1"})
    reached = Reached(("0" * 39 + "1",), 5.0)
    assert [each.key for each in GitHistory(repository, reached=reached)] == [sha]
