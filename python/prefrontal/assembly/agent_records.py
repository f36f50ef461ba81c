"""What an agent's workspace says of beliefs and peers; read, never written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..clock import Clock, SystemClock
from ..cortex.consultation.consultation import TASK
from ..cortex.consultation.rules import judge
from ..cortex.consultation.verdict import SYSTEM_PROMPT, ConsultRequest, ConsultVerdict
from ..cortex.context.material import Material, PeerMaterial, fit
from ..cortex.memory.directives import waiting_directives
from ..cortex.memory.wishes import OPERATOR_KEY, OperatorWishes
from ..cortex.quoting import quote
from ..cortex.reflectors.rules import PeerJudgment, RulesReflector
from ..cortex.reflectors.words import rationale
from ..cortex.state import (
    BELIEFS_KEY,
    HISTORY_KEY,
    STATE_KEY,
    listed_beliefs,
    parse_beliefs,
    parse_history,
    parse_state,
)
from ..cortex.triggers.triggers import Triggers
from ..errors import InputError
from ..ledger import Ledger
from ..ledger.location import file_name, ledger_path
from ..runtime.conversation.semantics import Semantics, configured
from ..runtime.conversation.store import ConversationStore, conversations_path
from ..settings.cortex import CortexSettings, parse_cortex
from ..storage.text_memory import open_memory

if TYPE_CHECKING:
    from ..cortex.consultation.deferral import Kind
    from ..cortex.memory.directives import StoredDirective
    from ..cortex.models import Belief

Document = TypeVar("Document")

_LEAST_BEGINNING = 4
_REQUEST_LIMIT = 600


@dataclass(frozen=True, slots=True)
class KnownPeer:
    """One peer: the facts and judgments on record, and what the rules make of them now."""

    summary: Mapping[str, Any]
    judgment: PeerJudgment | None

    @property
    def supported(self) -> tuple[int, str, tuple[str, ...]]:
        """The trust that the record supports now, -10..10, why, and what stands out in it."""
        if self.judgment is None:  # no context has room for so long an id
            return 0, "nothing is known of the peer", ()
        findings, estimate = self.judgment.findings, self.judgment.estimate
        why = rationale(self.judgment.peer, findings, estimate)
        return estimate.trust, why, tuple(each.text for each in findings)


class AgentRecords:
    """Beliefs, peers and verdicts of the agent that lives in a folder, whether it runs or not.

    folder: the workspace; it need not exist. config: the agent's, of which ledger, cortex and
    memory are read. Raises InputError for settings of those two that cannot be.
    """

    def __init__(
        self, folder: Path, config: Mapping[str, Any], *, clock: Clock | None = None
    ) -> None:
        self.folder = folder
        self.clock = clock or SystemClock()
        self.settings: CortexSettings = parse_cortex(config.get("cortex"))[0]
        self._ledger = ledger_path(file_name(config), folder)
        self._config = config

    def beliefs(self) -> list[tuple[Belief, str]]:
        """The beliefs that hold now, as `listed_beliefs`. Raises InputError for a damaged file."""
        now = self.clock.now()
        wishes = self._read(OPERATOR_KEY, OperatorWishes.from_text)
        always = dict(self.settings.pinned_beliefs)
        held = wishes.applied(self._read(BELIEFS_KEY, parse_beliefs), always)
        completed = [each.cycle for each in self._history() if each.status == "ok"]
        cycle = max(completed, default=self._read(STATE_KEY, parse_state).cycle)
        expiry = self.settings.belief_expiry_cycles
        return listed_beliefs(held, now, cycle=cycle, expiry_cycles=expiry)

    def directives(self) -> list[StoredDirective]:
        """The directives that wait for a person's word, the oldest first. Raises InputError."""
        stored = self._read(STATE_KEY, parse_state).directives
        wishes = self._read(OPERATOR_KEY, OperatorWishes.from_text)
        return waiting_directives(stored, wishes, self.clock.now())

    @cached_property
    def semantics(self) -> Semantics | None:
        """The embedding model for searches; None without one. Raises PrefrontalError."""
        return configured(self._config)

    @contextmanager
    def conversations(self) -> Iterator[ConversationStore]:
        """What was said, to read; nothing where none is kept yet. Raises SourceError."""
        path = conversations_path(self.folder)
        store = ConversationStore(path, read_only=True) if path.exists() else ConversationStore()
        with store:
            yield store

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        """The ledger to read; an empty one where none is kept yet. Raises SourceError."""
        path = self._ledger
        exists = isinstance(path, Path) and path.exists()
        with Ledger(path, read_only=True) if exists else Ledger() as book:
            yield book

    def peer(self, name: str) -> KnownPeer:
        """A peer by its id, or by the only beginning of one. Raises InputError."""
        with self.ledger() as book:
            peer_id = _meant(book, name)
            summary = book.get_peer_assessment_summary(
                peer_id, interactions=self.settings.context_window
            )
        judgments = self._rules().judgments(self._context(peer_id, summary))
        return KnownPeer(summary, next(iter(judgments), None))

    def verdict(self, kind: Kind, text: str, peer_id: str) -> ConsultVerdict:
        """What the rules say of a step. text: what is about to be done. peer_id: "" for nobody;
        one that the ledger does not hold counts as unknown.
        """
        summary = None
        with self.ledger() as book:
            if peer_id and book.peer(peer_id) is not None:
                summary = book.get_peer_assessment_summary(
                    peer_id, interactions=self.settings.context_window
                )
        step = quote(text, _REQUEST_LIMIT)
        context = {
            **self._context(peer_id, summary),
            "trigger": "consult",
            "step": {"kind": kind, "request": step},
        }
        return judge(ConsultRequest("consult", peer_id, kind, step[1:-1]), context, self._rules())

    def trust(self, peer_id: str) -> int | None:
        """The trust on record, -10..10; None for nobody, an unknown peer, or one not judged."""
        with self.ledger() as book:
            if not peer_id or book.peer(peer_id) is None:
                return None
            latest = book.get_peer_assessment_summary(peer_id)["latest"]
        return None if latest is None else int(latest["trust"])

    def _context(self, peer_id: str, summary: Mapping[str, Any] | None) -> dict[str, Any]:
        """What the rules reflector is told of one peer, bounded like every context."""
        peers: Sequence[PeerMaterial] = ()
        if summary is not None:
            peers = (PeerMaterial(peer_id, summary, 1, self._statistics(peer_id)),)
        material = Material("consult", ("consult",), self.clock.now(), peers)
        return fit(material, self.settings.max_context_tokens, SYSTEM_PROMPT, TASK).context

    def _statistics(self, peer_id: str) -> dict[str, float]:
        """What the trigger engine knew when it was last saved; nothing when that is not read."""
        triggers = Triggers(self.clock)
        try:
            triggers.configure(self.settings, {})
            triggers.load(self._read(STATE_KEY, parse_state))
        except ValueError:
            return {}
        statistics = triggers.statistics(peer_id)
        return {name: value for name, value in statistics.items() if isinstance(value, int | float)}

    def _rules(self) -> RulesReflector:
        return RulesReflector(self.settings.rules, self.settings.sharing.weight)

    def _history(self) -> Sequence[Any]:
        return self._read(HISTORY_KEY, parse_history)

    def _read(self, key: str, parse: Callable[[str | None], Document]) -> Document:
        memory = open_memory(self.folder)
        try:
            return parse(memory.retrieve(key))
        except ValueError as error:
            raise InputError(f"{memory.place(key)} must be readable ({error})") from None


def _meant(book: Ledger, name: str) -> str:
    if book.peer(name) is not None:
        return name
    if len(name) >= _LEAST_BEGINNING:
        begin = [one.peer_id for one in book.list_peers() if one.peer_id.startswith(name)]
        if len(begin) == 1:
            return begin[0]
    rule = "be the id of one that the ledger holds, or the beginning of only one"
    raise InputError(f"peer must {rule}, got {name!r:.80}")
