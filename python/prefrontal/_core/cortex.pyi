"""The trigger engine: when each of many agents is to reflect, and what is known of their peers."""

from typing import Any, Literal, final

@final
class TriggerEngine:
    """Triggers without judgment, over facts pushed as they come; one engine carries many agents.

    Times are seconds of the caller's clock, best a monotonic one; one that goes back counts as the
    latest seen. What is due is known from events and deadlines alone: `due` costs what the agents
    that became due or are due cost, however many others there are.

    The triggers, in order of precedence; an agent is due while any of them holds:

    - promise_timeout: the time of a commitment is reached, and no message of that peer has come
      since the commitment was made.
    - farming: a peer with a record of easy interactions does something far larger, or builds its
      record in a hurry (see the options).
    - new_peer: the first message of a peer that was neither met nor named by "known" before.
    - interaction_count: `count` interactions since the last finished cycle.
    - timer: `period_s` since the last finished cycle, before it since the agent's first push, and
      at least one interaction since then.

    Signs are noticed only while their trigger is on; one that waits stays until a cycle that began
    after it finishes. Calls may come from several threads: each holds the interpreter's lock from
    its start to its end. An error names the argument; a call that raises has changed nothing.
    """

    def __init__(
        self,
        *,
        period_s: float | None = 1800.0,
        count: int | None = 5,
        count_outgoing: bool = False,
        new_peer: bool = False,
        promise_timeout: bool = False,
        farming: bool = False,
        retry_s: float = 60.0,
        retry_limit_s: float = 1800.0,
        farming_easy_count: int = 5,
        farming_jump_from: Literal["largest", "usual"] = "largest",
        farming_jump_factor: float = 4.0,
        farming_jump_min_size: float = 200.0,
        farming_tempo_count: int = 5,
        farming_tempo_per_day: float = 10.0,
        farming_tempo_gap_s: float = 600.0,
        max_peers: int = 10_000,
        max_commitments: int = 256,
    ) -> None:
        """Start without agents; the first push, commitment, cycle or own threshold makes one.

        period_s, count: None turns that trigger off. count_outgoing: messages sent count too.
        retry_s: how long nothing is due after a failed cycle; doubles with each further one, up to
        retry_limit_s, until one finishes.

        farming, jump: with at least farming_easy_count closed interactions, the open one reaches
        farming_jump_min_size and farming_jump_factor times the peer's own largest (and exceeds it).
        The largest, because sizes of honest messages have heavy tails: four times a usual size is
        common, four times the largest so far is not. With farming_jump_from="usual" it is held
        against the geometric mean, exp(mean ln(1 + size)) - 1, so that a second jump and a climb in
        steps are seen too. Each interaction is reported once.

        farming, tempo: the latest farming_tempo_count (2 to 32) visits without a bad outcome among
        them came at more than farming_tempo_per_day, (n - 1) / (last - first). An interaction less
        than farming_tempo_gap_s after the one before belongs to the same visit, so a chat is one
        (0: each is its own). Reported once until the tempo has fallen or an outcome was bad; the
        bad outcome of the very interaction takes the report back, unless a cycle has begun since.

        max_peers: an agent that meets one more forgets the one it has not seen for longest, who is
        new when it comes back. max_commitments: of an agent.
        Raises ValueError for a value out of its range, TypeError for one of the wrong type.
        """

    def push(self, agent: int, kind: str, peer: str, time: float, size: float = 0.0) -> None:
        """Tell what happened.

        kind: "in" a message of the peer, which opens an interaction of that size; "out" a message
        to it; "effort" size to be added to the peer's open interaction; "good" or "bad" the outcome
        of its latest one; "known" no event: the peer is no new one. Effort and outcome of a peer
        without an interaction are ignored. peer: 1 to 1,024 bytes of UTF-8.
        Raises ValueError for another kind, a time or a size that is not finite or over 1e15, and a
        negative size.
        """

    def commit(self, agent: int, peer: str, due: float, key: str) -> bool:
        """Add what a peer promised by a time, replacing what the key stood for.

        Forgotten when a message of the peer comes, when a cycle that began after its time finishes
        (so it is reported by one finished cycle), or by `uncommit`. False: the agent has
        max_commitments already, nothing was added.
        """

    def uncommit(self, agent: int, key: str) -> bool:
        """Forget a commitment; False when there was none of that key."""

    def due(self, now: float) -> list[tuple[int, tuple[str, ...]]]:
        """The agents due at `now`, sorted, each with the names of its triggers by precedence.

        An agent is told each time until its cycle begins or its triggers no longer hold.
        """

    def begin(self, agent: int, now: float) -> tuple[str, ...]:
        """A cycle begins: the agent is not due while it runs. What had fired, perhaps nothing.

        Raises ValueError when one is running.
        """

    def finish(self, agent: int, now: float, interactions: int | None = None) -> None:
        """The running cycle succeeded: what it saw is taken off, the timer starts again.

        interactions: how many it saw (more than there are: all); None: those that were there when
        it began. Signs and overdue commitments of that moment go; what came meanwhile stays.
        Raises ValueError when none is running.
        """

    def fail(self, agent: int, now: float) -> None:
        """The running cycle failed or was skipped: all stays, nothing is due for retry_s or longer.

        Raises ValueError when none is running.
        """

    def next_due(self, agent: int | None = None) -> float | None:
        """When the agent, or the first of all, is due if nothing more happens; None: never.

        Not before the latest time seen: that one stands for "now". `due` of the time told here
        tells the agent.
        """

    def interactions(self, agent: int) -> int:
        """Interactions since the last finished cycle; 0 for an unknown agent."""

    def set_thresholds(self, agent: int | None = None, **thresholds: Any) -> None:
        """Change options of the constructor, for one agent or (None) for all, present and to come.

        An agent with options of its own keeps the others of these. All values are checked before
        any is changed; signs that wait are judged by the new ones from the next call on.
        Raises as the constructor does.
        """

    def thresholds(self, agent: int | None = None) -> dict[str, Any]:
        """The options by name that hold for the agent, or (None) for one without its own."""

    def agents(self) -> list[int]:
        """Agents, sorted."""

    def peers(self, agent: int) -> list[str]:
        """The agent's peers, latest seen ("in", "out" or first "known") first."""

    def statistics(self, agent: int, peer: str) -> dict[str, Any]:
        """What is known of a peer, made anew with each message; {} for an unknown one.

        interactions, outgoing, good, bad; streak (outcomes alike in a row, bad ones below 0);
        first_seen, last_seen (of its messages, None before the first); interval_s (exponential
        mean, the newest weighs 1/4) and per_day ((n - 1) / span, the span being a second at least),
        both 0 below two interactions; size_mean, size_deviation, size_max and size_usual (the
        geometric mean of the constructor) of the closed interactions; size_open of the latest;
        size_jump (that one was reported as a jump), tempo (the peer is in a hurry now).
        """

    def commitments(self, agent: int) -> list[tuple[str, str, float]]:
        """Outstanding ones as (key, peer, due), oldest first."""

    def save(self) -> bytes:
        """Everything, with version and checksum. A running cycle is saved as one not begun."""

    @staticmethod
    def load(saved: bytes, now: float | None = None) -> TriggerEngine:
        """The engine of `save`, with its thresholds.

        now: move all times so that the latest seen becomes this. A monotonic clock starts anew with
        the machine, so give its reading, less the time spent away when that is to count.
        Raises ValueError for bytes that are cut, damaged or of another version.
        """
