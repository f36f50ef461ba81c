"""Writers that are commands of prefrontal: what an exit code of 0 or a printed line promises."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from preload import spare_this_process
from starts import OneReal, Start, start_copy
from watched import MODULE, check_lines, event_line, lay, places, printed, write_settings
from writers import STEPS, Say, check_database, new_name


class Habit(Protocol):
    """What a person does with a command; see `Writer`."""

    name: str

    def prepare(self, folder: Path, start: Start) -> None:
        """Lay down what is there before the first start."""

    def work(self, folder: Path, say: Say, start: Start) -> None:
        """Start commands, and say what they promise."""

    def check(self, folder: Path, said: Sequence[str], start: Start) -> None:
        """Look at what is there after a new start."""


class CommandWriter:
    """A habit as a `Writer`.

    real: the number of the start that is one of a new interpreter, from 0; None: there is none.
    diary: the file that `OneReal` writes; None: nobody reads it.
    """

    def __init__(self, habit: Habit) -> None:
        self.name = habit.name
        self.real: int | None = None
        self.diary: Path | None = None
        self._habit = habit

    def prepare(self, folder: Path) -> None:
        """With the fast start, as is the check: what is tried out is the work."""
        (folder / "home").mkdir()
        self._habit.prepare(folder, start_copy)

    def work(self, folder: Path, say: Say) -> None:
        spare_this_process()
        start = OneReal(self.real, self.diary) if self.diary else start_copy
        self._habit.work(folder, say, start)

    def check(self, folder: Path, said: Sequence[str]) -> None:
        self._habit.check(folder, said, start_copy)


class Modules:
    """A fingerprint is added, again and again in new versions."""

    name = "modules"

    def prepare(self, folder: Path, start: Start) -> None:
        self._add(folder, "first", start)

    def work(self, folder: Path, say: Say, start: Start) -> None:
        for _ in range(2):
            mark = new_name()
            self._add(folder, mark, start)
            say(mark)

    def check(self, folder: Path, said: Sequence[str], start: Start) -> None:
        path = folder / "state" / "modules" / "everything.json"
        text = path.read_text(encoding="utf-8")
        mark = json.loads(text)["question_template"].split()[0]
        assert mark not in said[:-1], "the module is an older one"
        start(folder, "modules", "list", "--state", str(folder / "state"))

    def _add(self, folder: Path, mark: str, start: Start) -> None:
        path = folder / "module.json"
        template = f"{mark} {{location}} {'x' * 1000}"
        lay(path, json.dumps(MODULE | {"question_template": template}))
        start(folder, "modules", "add", str(path), "--state", str(folder / "state"))


class Labels:
    """A person says of decisions whether they mattered."""

    name = "labels"

    def prepare(self, folder: Path, start: Start) -> None:
        write_settings(folder, logs=[])
        lines = [event_line(f"line {number}", number) for number in range(30)]
        start(folder, "run", "--once", "-", *places(folder), data="".join(lines))

    def work(self, folder: Path, say: Say, start: Start) -> None:
        for name in self._names(folder, {None})[:2]:
            start(folder, "feedback", name, "useful", "--state", str(folder / "state"))
            say(name)

    def check(self, folder: Path, said: Sequence[str], start: Start) -> None:
        labelled = set(self._names(folder, {1.0}))
        assert set(said) <= labelled, "a label is lost"
        check_database(folder / "state" / "decisions.sqlite")

    def _names(self, folder: Path, labels: set[float | None]) -> list[str]:
        from prefrontal.decisions.log import DecisionLog

        with DecisionLog(folder / "state" / "decisions.sqlite") as log:
            records = log.recent(1000, acted=True)
            return [each.id for each in records if each.label in labels]


class Memory:
    """Texts are remembered, and a belief is pinned."""

    name = "memory command"

    def prepare(self, folder: Path, start: Start) -> None:
        self._store(folder, "first", start)

    def work(self, folder: Path, say: Say, start: Start) -> None:
        mark, key = new_name(), f"rule-{new_name()}"
        self._store(folder, mark, start)
        say(f"text {mark}")
        start(folder, "cortex", "pin", key, "--value", "Quote no price.")
        say(f"belief {key}")

    def check(self, folder: Path, said: Sequence[str], start: Start) -> None:
        text = start(folder, "memory", "get", "notes").output
        pins = (folder / "workspace" / "memory" / "files").glob("cortex-operator.md")
        pinned = "".join(path.read_text(encoding="utf-8") for path in pins)
        texts = [line.split()[1] for line in said if line.startswith("text")]
        assert len(set(text.split())) == 1, "the text is torn"
        assert text.split()[0] not in texts[:-1], "the text is an older one"
        for line in said:
            what, key = line.split()
            assert what == "text" or key in pinned, f"{line} is lost"

    def _store(self, folder: Path, mark: str, start: Start) -> None:
        start(folder, "memory", "store", "notes", "-", data=f"{mark} " * 500)


class Gate:
    """Lines of a log are decided about by calls of the gate; its answer tells the questions."""

    name = "gate"

    def prepare(self, folder: Path, start: Start) -> None:
        write_settings(folder, logs=["app.log"])
        (folder / "app.log").touch()
        self._call(folder, start)

    def work(self, folder: Path, say: Say, start: Start) -> None:
        lay(folder / "app.log", "".join(f"line {new_name()}\n" for _ in range(3)), "a")
        self._call(folder, start, say)

    def check(self, folder: Path, said: Sequence[str], start: Start) -> None:
        answers = set[str]()
        for line in said:
            with suppress(ValueError):
                answers.update(each["id"] for each in json.loads(line)["questions"])
        while asked := self._call(folder, start):
            answers.update(asked)
        check_lines(folder)
        from prefrontal.decisions.log import DecisionLog

        with DecisionLog(folder / "state" / "decisions.sqlite") as log:
            records = [each for each in log.records() if each.acted]
            assert log.waiting_windows() == [], "a window waits"
        asked = [each.id for each in records]
        assert answers <= set(asked), "a question is lost that was told"

    def _call(self, folder: Path, start: Start, say: Say | None = None) -> list[str]:
        words = ["--workspace", str(folder), "--limit", "30", "--json"]
        answer = json.loads(start(folder, "gate", *words, codes=(0, 1, 10), output=say).output)
        if answer["fault"]:
            from prefrontal.errors import SourceError

            raise SourceError(answer["fault"])
        return [each["id"] for each in answer["questions"]]


class Once:
    """Events of a file run through the whole loop; what is printed is in the log."""

    name = "run --once"

    def prepare(self, folder: Path, start: Start) -> None:
        write_settings(folder, logs=[])

    def work(self, folder: Path, say: Say, start: Start) -> None:
        lines = [event_line(f"line {new_name()}", number) for number in range(STEPS)]
        words = ["run", "--once", "-", "--json", *places(folder)]
        start(folder, *words, data="".join(lines), output=say)

    def check(self, folder: Path, said: Sequence[str], start: Start) -> None:
        from prefrontal.decisions.log import DecisionLog

        path = folder / "state" / "decisions.sqlite"
        if not path.exists():
            assert not said, "the log is lost"
            return
        with DecisionLog(path) as log:
            ids = [each.id for each in log.records()]
        assert len(ids) == len(set(ids)), "a decision stands twice"
        assert printed(said, "id") <= set(ids), "a decision is lost that was printed"
        check_database(path)


class Agent:
    """Messages are answered; each that was answered stands in the ledger, once."""

    name = "agent"

    def prepare(self, folder: Path, start: Start) -> None:
        """Nothing is there."""

    def work(self, folder: Path, say: Say, start: Start) -> None:
        names = [new_name() for _ in range(3)]
        messages = [{"sender_id": name, "content": f"Hello {name}"} for name in names]
        data = "".join(f"{json.dumps(each)}\n" for each in messages)
        start(folder, "agent", "run", "--channel", "jsonl", data=data, output=say)

    def check(self, folder: Path, said: Sequence[str], start: Start) -> None:
        from prefrontal.ledger import Ledger

        path = folder / "workspace" / "ledger.sqlite"
        if not path.exists():
            assert not said, "the ledger is lost"
            return
        with Ledger(path) as ledger:
            rows = [(each.peer_id, each.direction) for each in ledger.interactions()]
        assert len(rows) == len(set(rows)), "a message stands twice"
        assert {(name, "in") for name in printed(said, "recipient")} <= set(rows), (
            "an answered message is lost"
        )
        check_database(path)


class Documents:
    """Settings and reports are written whole: init, replay and adopt."""

    name = "documents"

    def prepare(self, folder: Path, start: Start) -> None:
        rows = [
            {"source": "git", "location": "/r", "delta_type": "commit", "timestamp": 1.7e9 + n * 60,
             "relevant": n % 5 == 0, "features": {"text": f"change {n % 5} of it"}}
            for n in range(60)
        ]  # fmt: skip
        text = "".join(f"{json.dumps(_window(row))}\n" for row in rows)
        (folder / "windows.jsonl").write_text(text, encoding="ascii")

    def work(self, folder: Path, say: Say, start: Start) -> None:
        start(folder, "init", "--yes", "--force")
        say("init")
        files = ["--report", "replay.html", "--save", "replay.json"]
        start(folder, "replay", "--events", "windows.jsonl", *files)
        say("replay")
        start(folder, "adopt", "--events", "windows.jsonl", "--yes")
        say("adopt")

    def check(self, folder: Path, said: Sequence[str], start: Start) -> None:
        from prefrontal.settings import load_settings

        report, result = folder / "replay.html", folder / "replay.json"
        if "init" in said:
            load_settings(folder / "prefrontal.yml")
        if "replay" in said:
            assert report.read_text(encoding="utf-8").rstrip().endswith("</html>"), "a torn report"
            json.loads(result.read_text(encoding="utf-8"))
        if "adopt" in said:
            settings = load_settings(folder / "prefrontal.yml")
            path = Path(settings.state or folder / "home" / "state" / "prefrontal")
            check_database(path / "decisions.sqlite")


class Install:
    """The gate is put in front of an agent and taken out again, to the byte."""

    name = "install"
    _hooks = '{"permissions": {"allow": ["Bash(ls)"]}}\n'

    def prepare(self, folder: Path, start: Start) -> None:
        write_settings(folder, logs=["app.log"])
        (folder / "app.log").touch()
        claude = folder / "project" / ".claude"
        claude.mkdir(parents=True)
        (claude / "settings.json").write_text(self._hooks, encoding="utf-8")

    def work(self, folder: Path, say: Say, start: Start) -> None:
        start(folder, "install", "claude-code", "project", "--yes")
        text = (folder / "project" / ".claude" / "settings.json").read_text(encoding="utf-8")
        assert "prefrontal" in text, "nothing was installed"
        start(folder, "uninstall", "claude-code", "project", "--yes")
        say("uninstalled")

    def check(self, folder: Path, said: Sequence[str], start: Start) -> None:
        path = folder / "project" / ".claude" / "settings.json"
        json.loads(path.read_text(encoding="utf-8"))
        start(folder, "install", "claude-code", "project", "--yes")
        start(folder, "uninstall", "claude-code", "project", "--yes")
        assert path.read_text(encoding="utf-8") == self._hooks, "not as it was before"


class Export:
    """The ledger as JSON lines in a file."""

    name = "export"

    def prepare(self, folder: Path, start: Start) -> None:
        Agent().work(folder, lambda _: None, start)

    def work(self, folder: Path, say: Say, start: Start) -> None:
        start(folder, "ledger", "export", "--output", "ledger.jsonl")
        say("exported")

    def check(self, folder: Path, said: Sequence[str], start: Start) -> None:
        path = folder / "ledger.jsonl"
        assert path.exists() or not said, "the file is lost"
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            json.loads(line)


HABITS: tuple[Habit, ...] = (
    Modules(), Labels(), Memory(), Gate(), Once(), Agent(), Documents(), Install(), Export(),
)  # fmt: skip


def _window(row: dict[str, Any]) -> dict[str, Any]:
    relevant = row.pop("relevant")
    return {"events": [row], "relevant": relevant, "time": row["timestamp"]}
