"""Who wrote each line, from one pass over the diffs: what `git blame` says of each file."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from prefrontal.errors import SourceError
from prefrontal.replay.histories.line_owners import NOBODY, LineOwners, Removal, diffs

from ...exhaustive import first
from .. import repositories

no_set_up, git, repository, commit, import_history = (
    repositories.no_set_up,
    repositories.git,
    repositories.repository,
    repositories.commit,
    repositories.import_history,
)

NAMES = ("plain.py", "with space.py", 'quo"te.py', "täb\\there.py", "src/deep/one.py", "b.bin")
BINARY = "b.bin"
Files = dict[str, list[bytes]]


def owners_of(folder: Path, *revisions: str) -> tuple[LineOwners, list[str]]:
    """The lines' owners after all changes, and the hashes by their numbers."""
    owners, hashes = LineOwners(), [""]

    def number(sha: str) -> int:
        hashes.append(sha)
        return len(hashes) - 1

    with diffs(str(folder), *(revisions or ("HEAD",))) as output:
        for _ in owners.take(output, number, lambda sha: False):
            pass
    return owners, hashes


def blame(folder: Path, git: repositories.Git, path: str) -> list[str]:
    words = ("blame", "--first-parent", "--root", "--porcelain", "HEAD", "--", path)
    return re.findall(r"^([0-9a-f]{40}) \d+ \d+", git(folder, *words), re.MULTILINE)


def edited(lines: list[bytes], chance: random.Random) -> list[bytes]:
    """Some lines more, fewer and others; now and then the last has no end."""
    lines = list(lines)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(lines) + 1)
        fresh = [b"line %d" % chance.randrange(12) for _ in range(chance.randrange(4))]
        lines[at : at + chance.randrange(4)] = fresh
    return lines


def content(lines: list[bytes], chance: random.Random) -> bytes:
    return b"\n".join(lines) + (b"\n" if lines and chance.random() < 0.8 else b"")


class Script:
    """A stream for `git fast-import`: changes, renames, deletions, binaries and merges."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.stream: list[bytes] = []
        self.mark = 0

    def commit(self, branch: bytes, files: Files, parents: tuple[int, ...]) -> int:
        self.mark += 1
        head = b"commit refs/heads/%b\nmark :%d\ncommitter J <j@example.org> %d +0000\ndata 1\nx\n"
        self.stream.append(head % (branch, self.mark, 1_000 + self.mark))
        for word, parent in zip((b"from", b"merge"), parents, strict=False):
            self.stream.append(b"%b :%d\n" % (word, parent))
        return self.mark

    def change(self, files: Files) -> None:
        """Change one or two of the files, in place and in the stream."""
        for _ in range(self.chance.randrange(1, 3)):
            name = self.chance.choice(NAMES)
            kind = self.chance.random()
            if name in files and kind < 0.1:
                del files[name]
                self.stream.append(b"D %b\n" % quoted(name))
            elif name in files and kind < 0.25 and len(files[name]) > 5 and name != BINARY:
                other = self.chance.choice([each for each in NAMES if each not in (name, BINARY)])
                files[other] = files.pop(name)
                self.stream.append(b"R %b %b\n" % (quoted(name), quoted(other)))
            else:
                files[name] = edited(files.get(name, []), self.chance)
                self.write(name, files[name])

    def write(self, name: str, lines: list[bytes]) -> None:
        raw = content(lines, self.chance)
        if name == BINARY:
            raw = b"\0" + raw
        self.stream.append(b"M 100644 inline %b\ndata %d\n%b\n" % (quoted(name), len(raw), raw))


def quoted(name: str) -> bytes:
    return b'"' + name.replace("\\", "\\\\").replace('"', '\\"').encode() + b'"'


def made(seed: int, changes: int) -> bytes:
    script, files, last = Script(seed), Files(), 0
    for _ in range(changes):
        if last and script.chance.random() < 0.2:
            side = dict(files)
            tip = script.commit(b"side", side, (last,))
            script.change(side)
            last = script.commit(b"main", side, (last, tip))
            for name in [each for each in files if each not in side]:
                script.stream.append(b"D %b\n" % quoted(name))
            for name, lines in side.items():
                if lines != files.get(name):
                    script.write(name, lines)
            files = side
        else:
            last = script.commit(b"main", files, (last,) if last else ())
            script.change(files)
    return b"".join(script.stream)


@pytest.mark.parametrize("seed", first(2, [5, 10, *range(5), *range(11, 30)]))
def test_one_pass_over_the_diffs_says_of_each_line_what_blame_says(
    tmp_path: Path, git: repositories.Git, seed: int
) -> None:
    folder = tmp_path / "made.git"
    folder.mkdir()
    git(folder, "init", "--quiet", "--bare")
    git(folder, "fast-import", "--quiet", "--force", data=made(seed, 60))
    owners, hashes = owners_of(folder)
    files = git(folder, "ls-tree", "-rz", "--name-only", "HEAD").rstrip("\0").split("\0")
    assert len(files) > 1
    for path in files:
        if path != BINARY:
            name = path.encode()
            known = owners.files[name if name in owners.files else as_git_says(name)]
            assert [hashes[each] for each in known] == blame(folder, git, path), path


def as_git_says(name: bytes) -> bytes:
    """A name that is quoted in a patch."""
    text = name.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return b'"' + re.sub(rb"[\x80-\xff]", lambda m: b"\\%03o" % m[0][0], text) + b'"'


def test_lines_of_before_the_first_change_that_is_read_have_no_owner(
    repository: Path, commit: Callable[..., str]
) -> None:
    old = commit("old", {"a.py": "1\n2\n3\n4\n5\n"})
    new = commit("new", {"a.py": "1\n2\nthree\n4\n5\n"})
    owners, hashes = owners_of(repository, f"{old}..HEAD")
    assert hashes == ["", new]
    assert list(owners.files[b"a.py"][:3]) == [NOBODY, NOBODY, 1]


def test_what_a_change_removed_is_told_with_its_owners_and_what_stands_there_now(
    repository: Path, commit: Callable[..., str]
) -> None:
    shas = [commit("one", {"a.py": "1\n2\n3\n"}), commit("two", {"a.py": "1\n2\n3\n4\n"})]
    shas.append(commit("three", {"a.py": "1\nTWO\n"}))
    with diffs(str(repository), "HEAD") as output:
        changes = list(
            LineOwners().take(output, lambda sha: shas.index(sha) + 1, {shas[2]}.__contains__)
        )
    assert [each.sha for each in changes] == shas
    assert [each.sizes for each in changes] == [{b"a.py": 3}, {b"a.py": 1}, {b"a.py": 4}]
    assert changes[1].removals == []
    [removal] = changes[2].removals
    assert (removal.path, list(removal.owners)) == (b"a.py", [1, 1, 2])
    assert removal == Removal(b"a.py", removal.owners, (b"2", b"3", b"4"), (b"TWO",))


def test_what_git_cannot_read_is_a_sentence(repository: Path, commit: Callable[..., str]) -> None:
    commit("one", {"a.py": "1\n"})
    with pytest.raises(SourceError), diffs(str(repository), "nowhere") as output:
        list(LineOwners().take(output, lambda _: 1, lambda _: False))
