"""The answer in the contract of whoever asks; docs/gate.md cites each."""

from __future__ import annotations

import os

from .report import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .call import GateCall

NOTHING = "Nothing new that matters."
LOST = "was lost since the last call, with what came then"
LONGEST_MESSAGE = 12_000
"""Characters of all questions together in a format that has one message."""
MOST_SHOWN = 20
SHOWN_ID = 8
"""How much of an id stands behind its question, for `prefrontal feedback`."""
_SHOWN_TO_CLAUDE = 2
"""The exit code with which Claude Code shows a hook's standard error to the model."""


class GateVerdict:
    """questions: (id, text) of what is asked. documents: of the same, for JSON.

    fault: why something could not be looked at or decided. wake: the answer.
    """

    __slots__ = ("documents", "fault", "note", "questions", "wake")

    def __init__(
        self,
        questions: Sequence[tuple[str, str]] = (),
        documents: Sequence[Mapping[str, Any]] = (),
        *,
        fault: str = "",
        wake: bool = False,
        note: str = "",
    ) -> None:
        self.questions = tuple(questions)
        self.documents = tuple(documents)
        self.fault = fault
        self.wake = wake or bool(questions)
        self.note = note

    def lines(self) -> list[str]:
        """What is to be said to who is woken, a line each."""
        longest = LONGEST_MESSAGE // MOST_SHOWN
        lines = self._questions(MOST_SHOWN, longest)
        if (more := len(self.questions) - len(lines)) > 0:
            lines.append(f"And {more} more: `prefrontal decisions` lists them.")
        if self.fault:
            fault = f"prefrontal gate could not decide and woke you instead: {self.fault}."
            lines.append(_cut(f"{fault} {_outlook(self.fault)}", longest))
        return lines

    def _questions(self, most: int, longest: int) -> list[str]:
        """Each question with the beginning of its id."""
        ids = [f" [{each[:SHOWN_ID]}]" for each, _ in self.questions[:most]]
        return [
            _cut(text, longest - len(mark)) + mark
            for mark, (_, text) in zip(ids, self.questions, strict=False)
        ]

    def errors(self, call: GateCall) -> bytes:
        """What standard error says."""
        sentences = [self.note] if self.note else []
        if self.fault and self.wake:
            sentences.append(f"prefrontal gate: NO DECISION, so the answer is WAKE: {self.fault}")
        elif self.fault:
            sentences.append(f"prefrontal gate: still no decision, as said before: {self.fault}")
        if self.wake and call.codes[0] == _SHOWN_TO_CLAUDE:
            sentences += self._questions(len(self.questions), LONGEST_MESSAGE)
        elif not (sentences or self.wake) and call.form == "text" and os.isatty(2):
            sentences = [NOTHING]
        return "".join(f"{each}\n" for each in sentences).encode(errors="replace")


def _outlook(fault: str) -> str:
    """What becomes of that which came, for who is woken by a fault."""
    if LOST in fault:
        return "What comes from now on counts."
    return "Nothing that came is lost: the next call that works decides about it."


def report_of(call: GateCall, verdict: GateVerdict, *, waits: bool = False) -> Report:
    """The verdict as the call wants it. waits: as of `Report`."""
    if call.form == "github":
        output, files = _github(verdict)
    else:
        output, files = _FORMATS[call.form](verdict), ()
    return Report(
        verdict.wake,
        output.encode(errors="replace"),
        verdict.errors(call),
        files,
        waits=waits,
    )


def _text(verdict: GateVerdict) -> str:
    return "".join(f"{line}\n" for line in verdict.lines()) if verdict.wake else ""


def _no_work(verdict: GateVerdict) -> str:
    return _text(verdict) or "NO_WORK\n"


def _hermes(verdict: GateVerdict) -> str:
    """The last line is the gate; all of it becomes part of the prompt."""
    if not verdict.wake:
        return '{"wakeAgent": false}\n'
    lines = verdict.lines()
    return _text(verdict) + _json({"wakeAgent": True, "context": {"questions": lines}})


def _openclaw(verdict: GateVerdict) -> str:
    if not verdict.wake:
        return '{"fire": false}\n'
    answer: dict[str, Any] = {"fire": True, "message": "\n".join(verdict.lines())}
    if verdict.questions:
        answer["state"] = {"last": verdict.questions[-1][0]}
    return _json(answer)


def _whole(verdict: GateVerdict) -> str:
    return _json({
        "version": 1,
        "wake": verdict.wake,
        "questions": list(verdict.documents),
        "fault": verdict.fault or None,
    })  # fmt: skip


def _json(value: Mapping[str, Any]) -> str:
    import json

    return json.dumps(value, ensure_ascii=False) + "\n"


def _github(verdict: GateVerdict) -> tuple[str, tuple[tuple[str, bytes], ...]]:
    """Outputs of the step and a part of the job's summary, or all of it where no runner is."""
    lines = verdict.lines() if verdict.wake else []
    mark = f"prefrontal_{os.urandom(16).hex()}"
    outputs = [
        f"wake={str(verdict.wake).lower()}",
        f"count={len(verdict.questions)}",
        f"question<<{mark}",
        *lines,
        mark,
    ]
    heading = "woke the agent" if verdict.wake else "let the agent sleep"
    summary = [f"### prefrontal {heading}", "", *(f"- {_escaped(each)}" for each in lines)]
    summary += [] if lines else [NOTHING]
    places = (("GITHUB_OUTPUT", outputs), ("GITHUB_STEP_SUMMARY", [*summary, ""]))
    files = []
    output = lines or [NOTHING]
    for name, content in places:
        text = "".join(f"{each}\n" for each in content)
        if path := os.environ.get(name):
            files.append((path, text.encode(errors="replace")))
        elif name == "GITHUB_OUTPUT":
            output = outputs
    return "".join(f"{each}\n" for each in output), tuple(files)


def _escaped(text: str) -> str:
    """Text as Markdown shows it as it is."""
    return "".join(f"\\{each}" if each in "\\`*_{}[]<>()#+-.!|~&$" else each for each in text)


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


_FORMATS = {
    "text": _text,
    "exit": _text,
    "no-work": _no_work,
    "hermes": _hermes,
    "openclaw": _openclaw,
    "json": _whole,
}
