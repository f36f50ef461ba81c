"""What an attacker writes changes no structure: question, prompt, log, page, report, terminal.

    python benchmarks/reliability/injection.py [--own 1000] [--agentdojo]

Each text comes in as a file's name, a commit's subject and author, a peer's message, id and name, a
tool's answer, a belief, a judgment and an event. What is shown of it is compared with what is shown
of a plain text in its place: the same lines, elements, keys and marks.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout, suppress
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from unicodedata import category

from hostile_texts import OWN, agentdojo, generated
from prefrontal.cortex.context.material import Material, PeerMaterial, fit
from prefrontal.cortex.context.prompt import TASK, belief_block, belief_line, system_prompt
from prefrontal.cortex.models import Belief
from prefrontal.cortex.reply.parsing import parse_reflection
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.document import line
from prefrontal.decisions.log import DecisionLog
from prefrontal.executive.chooser.prompt import routed_prompt
from prefrontal.executive.results import cleaned, in_short, in_words
from prefrontal.ledger import Ledger
from prefrontal.ledger.prompt import peer_block
from prefrontal.plain_text import CLOSE, OPEN
from prefrontal.plugin.asking import user_message
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.settings import GateSettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

NOW = 1_700_049_600.0
PLAIN, BLANK = "a plain text", "\u200b"
BATCH = 100
"""Texts that share a log, a page, a report and a list."""
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
_ASKS = "File {location} of {actor} came: {text}, an invoice to file?"
_MODULE = parse_fingerprint(
    {
        "module_id": "invoices", "cluster": "money", "version": "1", "question_template": _ASKS,
        "default_threshold": 0.0,
    }
)  # fmt: skip

Findings = list[str]


def attacked(texts: Sequence[str]) -> Findings:
    """What changed of the structure anywhere, a sentence each; none: the promise holds."""
    findings: Findings = []
    for begin in range(0, len(texts), BATCH):
        batch = texts[begin : begin + BATCH]
        with tempfile.TemporaryDirectory() as folder:
            findings += _of_batch(Path(folder), batch)
    findings += _of_each(texts)
    return findings


# --- one text alone ---------------------------------------------------------------------------
def _of_each(texts: Iterable[str]) -> Findings:
    surfaces: tuple[tuple[str, Callable[[str], str], Callable[[str], object]], ...] = (
        ("prompt of a reflection", reflection_prompt, partial(_lines, marks=f"{OPEN}{CLOSE}`")),
        ("block of a peer", _peer_block, partial(_lines, marks='"')),
        ("block of beliefs", beliefs_shown, partial(_lines, marks=f"{OPEN}{CLOSE}`")),
        ("answer of a tool", tool_answer, _count),
        ("sentence about a tool", in_short, _count),
    )
    plain = {name: skeleton(show(PLAIN)) for name, show, skeleton in surfaces}
    blank = {name: skeleton(show(BLANK)) for name, show, skeleton in surfaces}
    findings = []
    for text in texts:
        for name, show, skeleton in surfaces:
            shown = show(text)
            usual = plain if any(map(_is_shown, text)) else blank
            if skeleton(shown) != usual[name]:
                findings.append(f"{name}: another structure with {text!r:.90}: {shown!r:.300}")
            findings += [f"{name}: {fault} with {text!r:.90}" for fault in hidden(shown)]
    return findings


def _is_shown(letter: str) -> bool:
    """Whether something is seen of it; half of a pair is shown as replaced."""
    kind = category(letter)
    return kind[0] in "LMNPS" or kind == "Cs"


def reflection_prompt(text: str) -> str:
    """All that a reflecting model is asked when a peer, its name and its judge say the text."""
    said = {"direction": "in", "preview": text, "size": 120, "created_at": NOW - 60.0}
    latest = {"trust": 2, "info_score": 4, "rationale": text, "created_at": NOW - 5e5}
    summary = {
        "peer_id": text or "?", "display_name": text, "interaction_count": 3,
        "first_seen": NOW - 1e6, "last_seen": NOW, "info_score": 4, "latest": latest,
        "trajectory": [1, 2], "recent": [said, said],
    }  # fmt: skip
    peers = (PeerMaterial(text or "?", summary, 1),)
    prompt = system_prompt("Scout")
    gathered = fit(Material("timer", ("timer",), NOW, peers, events={}), 8_000, prompt, TASK)
    return f"{prompt}\n{user_message(TASK, gathered.context)}"


def _peer_block(text: str) -> str:
    with Ledger(clock=ManualClock(NOW)) as ledger:
        peer = text[:1_000].encode(errors="replace").decode().strip() or "?"  # others are refused
        ledger.record_interaction(peer, "in", preview=text, display_name=text)
        with suppress(ValueError):  # a judgment of characters that nobody sees is refused
            ledger.record_assessment(peer, 3, "first")
            ledger.record_assessment(peer, 3, text)
        return peer_block(ledger.get_peer_assessment_summary(peer, 5))


def beliefs_shown(text: str) -> str:
    """The agent's block of beliefs when a model that was convinced proposes the text."""
    proposed = [{"key": "from-eve", "value": text, "rationale": text, "peer_id": None}]
    reply = json.dumps({"assessments": [], "beliefs": proposed, "summary": text})
    found = parse_reflection(reply)
    lines = [
        belief_line(Belief(each.key, each.value, each.rationale, 1, peer_id="eve"))
        for each in found.beliefs
    ] or ["- from-eve (eve): left out"]
    return belief_block(["- a-first (eve): stays", *lines, "- a-last (eve): stays"], 2_000)


def tool_answer(text: str) -> str:
    """What is said of a tool's answer, and what is kept of it, as JSON on one line."""
    value = cleaned({"summary": text, "findings": [text, text], "path": text})
    return json.dumps(in_words(value))


def _lines(shown: str, marks: str) -> object:
    """What gives a text of many parts its structure: how each line begins, and the marks in it."""
    starts = [each.lstrip()[:1] for each in shown.split("\n")]
    counts = Counter(letter for letter in shown if letter in marks)
    return ["" if start.isalnum() else start for start in starts], counts


def _count(shown: str) -> object:
    """Of a text that is one line or nothing, that it is."""
    return len(shown.splitlines()) <= 1


def hidden(shown: str) -> Findings:
    """Characters that nobody sees, that turn the text or steer a terminal; a new line is none."""
    letters = {f"U+{ord(letter):04X}" for letter in shown if category(letter) in _HIDDEN} - {
        "U+000A"
    }
    return [f"hidden {', '.join(sorted(letters))}"] if letters else []


# --- many texts in one log, page, report and list ---------------------------------------------
def _of_batch(folder: Path, texts: Sequence[str]) -> Findings:
    findings: Findings = []
    log = DecisionLog(folder / "decisions.sqlite")
    with log:
        _decide(log, texts)
        records = list(log.records())
        findings += _questions(records, texts)
        findings += _logged(records, texts)
    findings += _listed(records)
    findings += _page(folder, texts)
    findings += _report(folder, texts)
    return findings


def event(text: str, number: int) -> SignalEvent:
    """A signal in which everything that an attacker chooses is the text."""
    features: dict[str, object] = {"text": text, "actor": text, "path": text, "extension": text}
    name = text.replace("/", "_") or "_"
    return SignalEvent("filesystem", f"/in/{number}/{name}", "created", 1.0, NOW, features)


def _decide(log: DecisionLog, texts: Sequence[str]) -> None:
    clock = ManualClock(NOW)
    stepper = Stepper(log, [_MODULE], GateSettings(log_refusals=True), clock=clock)
    for number, text in enumerate(texts):
        clock.advance(3_600.0)
        stepper.wake(event(text, number))


def _questions(records: Sequence[Decision], texts: Sequence[str]) -> Findings:
    findings = []
    if len(records) != len(texts):
        findings.append(f"log: {len(records)} decisions about {len(texts)} signals")
    for record in records:
        question = record.question or ""
        framed = question.startswith("File ") and question.endswith("an invoice to file?")
        if not framed or "\n" in question or hidden(question) or len(question) > 2_000:
            findings.append(f"question: not its module's own: {question!r:.300}")
        routed = routed_prompt(question, record.window)
        if "File" not in routed or len(routed) > 80:
            findings.append(f"route: a stranger's words are routed: {routed!r:.300}")
    return findings


def _logged(records: Sequence[Decision], texts: Sequence[str]) -> Findings:
    findings = []
    keys = None
    for record, text in zip(records, texts, strict=False):
        written = line(record, features=True)
        document = json.loads(written)
        keys = keys or _keys(document)
        if "\n" in written or _keys(document) != keys:
            findings.append(f"log: another shape with {text!r:.90}")
        if record.window[0].features["text"] != text:
            findings.append(f"log: the signal itself is not kept as it came: {text!r:.90}")
    return findings


def _keys(value: object) -> object:
    if isinstance(value, dict):
        return {key: _keys(each) for key, each in value.items()}
    return [_keys(each) for each in value] if isinstance(value, list) else None


def _listed(records: Sequence[Decision]) -> Findings:
    from prefrontal.cli.decisions.explain_page import print_list, print_page

    findings = []
    listed = _printed(lambda: print_list(records))
    if len(listed.splitlines()) != len(records) + 1:
        findings.append(f"terminal: {len(listed.splitlines())} lines for {len(records)} decisions")
    findings += [f"terminal: decisions: {fault}" for fault in hidden(listed)]
    for record in records[::5]:
        page = _printed(lambda shown=record: print_page(shown))  # type: ignore[misc]
        findings += [f"terminal: explain: {fault}" for fault in hidden(page)]
    return findings


def _printed(work: Callable[[], None]) -> str:
    output = io.StringIO()
    with redirect_stdout(output):
        work()
    return output.getvalue()


class Elements(HTMLParser):
    """How often each element with its attributes stands in a page, and what scripts hold."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.shapes: set[tuple[str, tuple[str, ...]]] = set()
        self.scripts = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.shapes.add((tag, tuple(sorted(name for name, _ in attrs))))
        self.scripts += tag == "script"


def _page(folder: Path, texts: Sequence[str]) -> Findings:
    shown = _page_of(folder / "hostile", texts)
    plain = _page_of(folder / "plain", [f"{PLAIN} {number}" for number in range(len(texts))])
    return _compared("page", shown, plain)


def _page_of(folder: Path, texts: Sequence[str]) -> str:
    from prefrontal.settings import parse_settings
    from prefrontal.storage.state_folder import StateFolder
    from prefrontal.web.assets import read_assets
    from prefrontal.web.dash_context import open_context
    from prefrontal.web.following import Follower
    from prefrontal.web.page import render_page

    state = StateFolder(folder)
    state.make()
    with DecisionLog(state.decisions) as log:
        _decide(log, texts)
    with open_context(
        parse_settings({}), state, [_MODULE], workspace=str(folder / "agent"),
        clock=ManualClock(NOW + 3_600.0 * len(texts)),
    ) as context:  # fmt: skip
        follower = Follower(context)
        follower.start()
        try:
            number, regions = follower.state
        finally:
            follower.stop()
        return render_page(number, regions, follower.instance, "key", read_assets())


def _report(folder: Path, texts: Sequence[str]) -> Findings:
    from prefrontal.assembly.replay_gate import PulseGate
    from prefrontal.replay.report.report import render_html
    from prefrontal.replay.session import Request, replay_events

    pages = []
    for name, told in (("hostile", texts), ("plain", [PLAIN] * len(texts))):
        file = folder / f"{name}.jsonl"
        with file.open("w", encoding="ascii") as lines:
            for number, text in enumerate(list(told) * 2):
                at = NOW + 600 * number
                signal = {
                    "source": "filesystem", "location": f"/in/{number}/{text}", "time": at,
                    "delta_type": "created", "features": {"text": text, "actor": text},
                }  # fmt: skip
                window = {
                    "key": f"{number} {text}", "time": at, "text": text, "actor": text,
                    "events": [signal], "relevant": number % 3 == 0,
                }  # fmt: skip
                lines.write(json.dumps(window) + "\n")
        result = replay_events(str(file), Request(relevant="recorded"), PulseGate())
        pages.append(render_html([result]))
    return _compared("report", *pages)


def _compared(name: str, shown: str, plain: str) -> Findings:
    ours, theirs = Elements(plain), Elements(shown)
    findings = [f"{name}: {fault}" for fault in hidden(shown.replace("\t", ""))]
    if new := theirs.shapes - ours.shapes:
        findings.append(f"{name}: elements of an attacker: {sorted(new)[:5]}")
    if theirs.scripts != ours.scripts:
        findings.append(f"{name}: {theirs.scripts} scripts, not {ours.scripts}")
    return findings


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Does what an attacker writes change a structure?")
    parser.add_argument("--own", type=int, default=OWN, help="generated texts (default: 1000)")
    parser.add_argument("--agentdojo", action="store_true", help="its 629 cases, too")
    options = parser.parse_args(arguments)
    begun = time.perf_counter()
    total, findings = 0, 0
    for name, texts in (
        ("generated", list(generated(options.own))),
        ("AgentDojo", list(agentdojo()) if options.agentdojo else []),
    ):
        found = attacked(texts) if texts else []
        total, findings = total + len(texts), findings + len(found)
        print(f"{name}: {len(texts):,} texts, {len(found)} changed a structure")
        for sentence in found[:20]:
            print(f"  {sentence}")
    print(f"{total:,} texts through 9 surfaces in {time.perf_counter() - begun:.0f} s")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
