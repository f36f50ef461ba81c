"""The script that records a repository as the sample, on repositories made for it."""

from __future__ import annotations

import gzip
import importlib.util
import json
import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from types import ModuleType

import pytest

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.errors import SourceError
from prefrontal.replay.histories.windows import read_windows
from prefrontal.replay.result import ReplayResult
from prefrontal.replay.sample import FACTS, WINDOWS, read_sample
from prefrontal.replay.session import Request, replay_git, replay_sample

from ..replay import repositories

no_set_up, git = repositories.no_set_up, repositories.git
SCRIPT = Path(__file__).parents[2] / "scripts" / "make_sample.py"
PEOPLE = ("Ada Lovelace", "Grace Hopper", "Katherine Johnson", "bot")
HOUR = 3_600
START = 1_700_000_000
LAST_DAY = "2023-12-05"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_sample", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def clone(tmp_path: Path, git: Callable[..., str]) -> Path:
    """Six hundred changes of four people, entries with a quarter of the later ones."""
    folder = tmp_path / "machine.git"
    folder.mkdir()
    git(folder, "init", "--quiet", "--bare")
    told = []
    for number in range(600):
        person = PEOPLE[(number * 7 + number // 5) % len(PEOPLE)]
        when = f"{person} <{person[0].lower()}@example.org> {START + HOUR * number} +0000"
        mattered = number > 100 and (person == PEOPLE[0]) != (number * number % 19 == 0)
        subject = f"Mend part {number % 13}" if number % 3 else f"Polish part {number % 17}"
        told.append(f"commit refs/heads/main\nauthor {when}\ncommitter {when}\n")
        told.append(f"data {len(subject)}\n{subject}\n")
        place = f"src/part{number % 13}.c" if number % 3 else f"docs/part{number % 5}.md"
        told.append(f"M 644 inline {place}\ndata {len(str(number))}\n{number}\n")
        if number == 300:
            told.append("R src/part1.c src/engine.c\n")
        if mattered:
            told.append(f"M 644 inline changelog/{number}.fix.md\ndata 1\na\n")
        if number % 20 == 0:  # a change without files: git counts it, and nobody sees it
            told.append(f"commit refs/heads/main\ncommitter {when}\ndata 5\nempty\n")
    git(folder, "fast-import", "--quiet", data="".join(told).encode())
    return folder


def recorded(script: ModuleType, clone: Path, folder: Path, until: str = LAST_DAY) -> Path:
    folder.mkdir(exist_ok=True)
    licence = ("--repository", "ada/machine", "--licence", "MIT")
    script.main([str(clone), *licence, "--until", until, "--folder", str(folder)])
    return folder


def figures(result: ReplayResult) -> ReplayResult:
    """What a replay found, without names, keys and how long it took."""
    strip = tuple(replace(each, text="", key="") for each in result.strip)
    policies = tuple(
        replace(each, detail=re.sub('actor is "[^"]+"', "one actor", each.detail))
        for each in result.policies
    )
    return replace(
        result,
        seconds=0.0,
        source="",
        origin="",
        notes=(),
        strip=strip,
        policies=policies,
        misses=(),
        wasted=(),
    )


def test_the_sample_replays_as_the_repository_does(
    script: ModuleType, clone: Path, tmp_path: Path
) -> None:
    folder = recorded(script, clone, tmp_path / "sample")
    theirs = replay_git(str(clone), Request(until=LAST_DAY), PulseGate())
    ours = replay_sample(Request(), PulseGate(), folder=folder)
    assert figures(ours) == figures(theirs)
    assert (ours.source, ours.preset) == ("machine", theirs.preset)
    assert ours.windows + ours.warmup < 450  # from the first entry to the last day
    assert theirs.auc is not None
    assert 0.6 < theirs.auc < 1.0  # there was something to learn, and something to get wrong
    for mine, other in zip(ours.misses, theirs.misses, strict=True):
        assert (mine.time, mine.text, mine.paths, mine.score) == (
            *(other.time, other.text, other.paths, other.score),
        )


@pytest.mark.exhaustive
def test_every_way_of_asking_gives_the_same(
    script: ModuleType, clone: Path, tmp_path: Path
) -> None:
    folder = recorded(script, clone, tmp_path / "sample")
    for asked in (Request(recall=0.8), Request(features="paths"), Request(seed=3)):
        theirs = replay_git(str(clone), replace(asked, until=LAST_DAY), PulseGate())
        ours = replay_sample(asked, PulseGate(), folder=folder)
        assert figures(ours) == figures(theirs), asked


def test_names_addresses_and_secrets_do_not_leave_the_clone(
    script: ModuleType, tmp_path: Path, git: Callable[..., str]
) -> None:
    folder = tmp_path / "told.git"
    folder.mkdir()
    git(folder, "init", "--quiet", "--bare")
    subjects = [
        "Merge pull request #12 from gracehop/faster: Thank Ada Lovelace",
        "Merge pull request #13 from ada/dependabot/pip/one",
        "gracehop told ada@example.org so",
        "Take out password: hunter2hunter2",
        "gracehopper is another word",
    ]
    told = []
    for number, subject in enumerate(subjects * 20):
        when = f"Ada Lovelace <ada@example.org> {START + number} +0000"
        told.append(f"commit refs/heads/main\ncommitter {when}\ndata {len(subject)}\n{subject}\n")
        told.append(f"M 644 inline a.c\ndata {len(str(number))}\n{number}\n")
        if number % 4 == 0:
            told.append(f"M 644 inline changelog/{number}.md\ndata 1\na\n")
    git(folder, "fast-import", "--quiet", data="".join(told).encode())
    sample = recorded(script, folder, tmp_path / "sample")
    text = gzip.decompress((sample / WINDOWS).read_bytes()).decode()
    for name in ("Ada", "Lovelace", "gracehop/", "gracehop ", "example.org", "hunter2"):
        assert name not in text, name
    windows = list(read_windows(sample / WINDOWS))
    [ada] = {each.actor for each in windows}
    assert (len(ada), ada.islower(), ada.isalpha()) == (6, True, True)
    texts = [each.text for each in windows[:5]]
    handle = texts[0].partition(" from ")[2].partition("/")[0]
    assert texts == [
        f"Merge pull request #12 from {handle}/faster: Thank {ada}",
        "Merge pull request #13 from ada/dependabot/pip/one",
        f"{handle} told [e-mail] so",
        "Take out password: [redacted]",
        "gracehopper is another word",
    ]
    assert handle != ada


def test_the_same_commits_give_the_same_bytes(
    script: ModuleType, clone: Path, tmp_path: Path
) -> None:
    once = recorded(script, clone, tmp_path / "once")
    again = recorded(script, clone, tmp_path / "again")
    for name in (WINDOWS, FACTS):
        assert (once / name).read_bytes() == (again / name).read_bytes()
    assert (once / WINDOWS).read_bytes()[4:8] == bytes(4)  # gzip has no time to tell
    facts = json.loads((once / FACTS).read_bytes())
    data = gzip.decompress((once / WINDOWS).read_bytes())
    assert facts["digest"] == blake2b(data, digest_size=16).hexdigest()
    assert facts["windows"] == len(data.splitlines())


def test_a_folder_without_a_history_is_one_sentence(
    script: ModuleType, clone: Path, tmp_path: Path
) -> None:
    with pytest.raises(SourceError, match="must hold a recorded history"):
        read_sample(tmp_path)
    (tmp_path / FACTS).write_text('{"name": 3}')
    with pytest.raises(SourceError, match=r"name must be text, got 3|total must be present"):
        read_sample(tmp_path)
    with pytest.raises(SystemExit, match="make_sample: path must be inside a git repository"):
        recorded(script, tmp_path, tmp_path)
    with pytest.raises(SystemExit, match="make_sample: "):
        recorded(script, clone, tmp_path, until="1999-01-01")
