"""Roles that one domain needs and another fills; `assembly` brings them together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .settings.budget import Budget
    from .types import Judgement, LateQuestion, SignalEvent, Standing, Window


class Rule(Protocol):
    """A rule of one line that says which windows to wake for."""

    def matches(self, window: Sequence[SignalEvent]) -> bool:
        """Whether the rule would wake for the window."""
        ...

    def __str__(self) -> str: ...


class FoundRule(Protocol):
    """A rule and what it did on the windows it was found on."""

    @property
    def rule(self) -> Rule: ...
    @property
    def windows(self) -> int: ...
    @property
    def relevant(self) -> int: ...
    @property
    def matched(self) -> int: ...
    @property
    def caught(self) -> int: ...
    @property
    def beats_chance(self) -> bool: ...


class Judge(Protocol):
    """One module of a gate, stepped window by window; it starts without having seen any."""

    def judge(self, window: Window) -> Judgement:
        """Score the window and decide; nothing is learned."""
        ...

    def late(self, until: float) -> Iterable[LateQuestion]:
        """What is asked by Unix second `until` because holds end; before the next window."""
        ...

    def label(self, window: Window, judgement: Judgement, relevant: bool) -> None:
        """Learn whether the window, which was judged so, mattered."""
        ...

    def learn(self, window: Window) -> None:
        """Learn from a labelled window of another history, about which nothing was decided."""
        ...

    def wake_on_everything(self, on: bool) -> None:
        """Let every window wake from now on, as a gate does that knows too little; or no longer."""
        ...

    def contributions(self, window: Window) -> Sequence[tuple[str, float]]:
        """What pushed the score: (feature, signed log-odds), largest first."""
        ...

    def sentence(self) -> str:
        """What can be promised for the windows to come, for people."""
        ...


class TrialGate(Protocol):
    """Everything a replay tries out, made fresh for each replay."""

    def find_rule(self, labelled: Iterable[tuple[Sequence[SignalEvent], bool]]) -> FoundRule:
        """The best one-line rule on these windows."""
        ...

    def open(
        self, prior_rule: FoundRule | None, recall: float, complete: bool, *, commits: bool = False
    ) -> Judge:
        """A fresh judge that starts from the rule, if there is one, and keeps the recall.

        complete: every window is labelled; otherwise only what woke and what is audited. commits:
        the windows are a repository's commits, of which something is known before any label.
        """
        ...

    def open_within(
        self,
        prior_rule: FoundRule | None,
        budget: Budget,
        complete: bool,
        *,
        commits: bool = False,
    ) -> Judge:
        """A fresh judge that catches what it can with at most so many wakes, from the first on."""
        ...

    def open_incidents(self, budget: Budget) -> Judge:
        """A fresh judge of bursts that keeps the budget and learns from other histories first."""
        ...

    def interval(self, hits: int, trials: int) -> tuple[float, float]:
        """90 % interval of a share after `hits` of `trials`."""
        ...


class Standings(Protocol):
    """Knows how far the one behind a signal is trusted."""

    def standing(self, event: SignalEvent) -> Standing | None:
        """None when the signal has nobody behind it, or nobody has judged them. Takes no time."""
        ...


class Source(Protocol):
    """Something that watches a part of the world and pushes what changes."""

    def start(self, push: Callable[[SignalEvent], object]) -> None:
        """Begin to push events, from threads of its own; a second call does nothing."""
        ...

    def stop(self, timeout_s: float = 5.0) -> None:
        """End, and wait for its threads; a second call does nothing."""
        ...

    def status(self) -> dict[str, object]:
        """What it watches and what went wrong, for people: plain values by name."""
        ...


class RunOutcome(Protocol):
    """What became of a command that ran where it could not hurt."""

    @property
    def ok(self) -> bool:
        """It ended by itself with exit status 0, within every limit."""
        ...

    @property
    def returncode(self) -> int | None:
        """Exit status, negative for a signal; None when it never ran."""
        ...

    @property
    def stdout(self) -> bytes: ...
    @property
    def stderr(self) -> bytes: ...
    @property
    def stopped_by(self) -> str:
        """Which limit ended it ("time", "memory", "output", ...), "sandbox", or empty."""
        ...

    @property
    def level(self) -> str:
        """How it was held: "namespace", "landlock", ..., "none"."""
        ...

    @property
    def duration_s(self) -> float: ...


class Runner(Protocol):
    """Runs untrusted commands; fails closed: a broken sandbox is an outcome that is not ok."""

    @property
    def level(self) -> str:
        """How commands are held on this machine."""
        ...

    @property
    def enforced(self) -> bool:
        """Whether that level confines files and network; if not, a person must agree to it."""
        ...

    def narrow(self, hosts: Iterable[str]) -> Runner:
        """The same where only those of its hosts can be reached that are among `hosts`, too."""
        ...

    def run(
        self,
        argv: Sequence[str],
        *,
        scratch: Path,
        readable: Sequence[Path] = (),
        max_seconds: float | None = None,
        stdin: bytes = b"",
    ) -> RunOutcome:
        """Run to the end. scratch: the one folder it may write, and where it starts.

        readable: files and folders it may read besides the interpreter and the system libraries.
        max_seconds: less than the usual limit.
        """
        ...


class CodeModel(Protocol):
    """Writes a module when no tool fits."""

    @property
    def provider(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def temperature(self) -> float: ...

    def complete(self, prompt: str) -> str:
        """The model's reply to the prompt. Raises PrefrontalError when there is none."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors of one length."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...


class PeerRecord(Protocol):
    """Somebody the agent has dealt with. Times are Unix seconds."""

    @property
    def peer_id(self) -> str: ...
    @property
    def display_name(self) -> str: ...
    @property
    def first_seen(self) -> float: ...
    @property
    def last_seen(self) -> float: ...
    @property
    def interaction_count(self) -> int: ...
    @property
    def in_count(self) -> int: ...
    @property
    def out_count(self) -> int: ...


class PeerLedger(Protocol):
    """All that the reflective loop may ask of the memory of peers."""

    def record_assessment(
        self, peer_id: str, trust: int, rationale: str, origins: Sequence[str] | None = None
    ) -> int:
        """Keep a judgment, whole or not at all; returns its id.

        origins: whose words may be in the rationale; None counts as anybody's. Raises ValueError
        for an unknown peer, a trust outside -10..+10 or a blank rationale.
        """
        ...

    def list_peers(self) -> Sequence[PeerRecord]:
        """All peers, the one seen last first."""
        ...

    def get_peer_assessment_summary(self, peer_id: str, interactions: int = 0) -> Mapping[str, Any]:
        """What is known of the peer, as plain values.

        peer_id, display_name, interaction_count, in_count, out_count, first_seen, last_seen,
        info_score (0..10, of now), assessment_count, latest (None or info_score, trust, rationale,
        created_at), trajectory (up to five trust values, oldest first). interactions: how many of
        the newest to add as "recent", oldest first, each with direction ("in" or "out"), preview,
        size (characters), created_at, channel_type, and where somebody judged it outcome (-1 to
        +1) and outcome_is_new (judged since the latest assessment). Raises ValueError for an
        unknown peer.
        """
        ...


class ReflectionReply(Protocol):
    """What a reflector answered. Tokens: None when nobody counted them."""

    @property
    def text(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def tokens_in(self) -> int | None: ...
    @property
    def tokens_out(self) -> int | None: ...


class Reflector(Protocol):
    """Looks back on what happened and judges."""

    async def reflect(
        self,
        *,
        task: str,
        context: Mapping[str, Any],
        system_prompt: str,
        timeout_s: float,
        max_tokens: int,
    ) -> ReflectionReply:
        """The reply to one bounded context. Raises PrefrontalError when there is none."""
        ...
