"""The keys of prefrontal.yml below `cortex` that most agents leave as they are."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from .rules import Positive, Rate, SettingsGroup, Share, Switch, Text, Timeout, Whole, broken

_Bound = Annotated[Positive, Field(le=100_000)]

_MONEY = (
    "wallet",
    "pay",
    "payment",
    "transfer",
    "invoice",
    "withdraw",
    "zap",
    "donate",
    "purchase",
    "buy",
    "refund",
    "swap",
    "money",
)
_IRREVERSIBLE = (
    "delete",
    "remove",
    "rm",
    "drop",
    "wipe",
    "purge",
    "destroy",
    "format",
    "transfer",
    "deploy",
    "publish",
    "release",
    "merge",
    "push",
    "revoke",
    "shutdown",
    "uninstall",
    "truncate",
)
_COMMITMENT = (
    "i will pay",
    "i will send the money",
    "i will transfer",
    "i commit to",
    "i guarantee",
    "i promise",
    "you can have full access",
    "i will dedicate",
)


class Directives(SettingsGroup):
    """What the cortex may ask of the agent.

    per_cycle, per_hour: most that are issued; 0 for none. expires_minutes: for those that do not
    say. repeat_after_hours: the same action for the same peer is refused for so long.
    """

    enabled: Switch = True
    per_cycle: Whole = 2
    per_hour: Whole = 6
    expires_minutes: Rate = 120.0
    repeat_after_hours: Rate = 24.0
    require_approval: Switch = False


class Consultations(SettingsGroup):
    """Thinking before acting.

    *_tools: words of tool names, "send" is a word of "send_payment" and of "sendPayment".
    commitment_words: in a reply, they spend what the agent has. A request of a peer with a trust
    below low_trust and of at least large_scope characters is consulted about, too. reflector:
    "rules", or "configured" for the one that reflects. holding_reply: what the peer hears when
    the answer has to wait. Decisions on time-out: "deny" or "proceed".
    """

    enabled: Switch = False
    reflector: Literal["rules", "configured"] = "configured"
    timeout_seconds: Timeout = 30.0
    holding_reply: Text = "Let me think about this for a moment. I will come back to you."
    money_tools: tuple[Text, ...] = _MONEY
    irreversible_tools: tuple[Text, ...] = _IRREVERSIBLE
    commitment_words: tuple[Text, ...] = _COMMITMENT
    low_trust: int = Field(default=0, ge=-10, le=10, strict=True)
    large_scope: Positive = 2000
    on_timeout_money: Literal["deny", "proceed"] = "deny"
    on_timeout: Literal["deny", "proceed"] = "proceed"


class Triage(SettingsGroup):
    """How deep to look.

    depth: "deep" always, "rules" never asks a model, "triage" asks a cheap question first, "auto"
    lets the facts decide between the three. always_deep: triggers that skip the question. model:
    who is asked the cheap question; None for the one that reflects.
    """

    depth: Literal["deep", "rules", "triage", "auto"] = "deep"
    model: str | None = None
    max_output_tokens: Positive = 150
    always_deep: tuple[Text, ...] = ("manual", "consult", "promise_timeout", "farming")


class Lessons(SettingsGroup):
    """What outlives the beliefs. cap: most that are kept; similarity: from which a new one revises.

    similarity is the share of words that two lessons have in common.
    """

    cap: Whole = 12
    similarity: Share = 0.6


class Adaptive(SettingsGroup):
    """Thresholds that follow how useful cycles were; off unless switched on.

    Within [low, high]; a step is one interaction, or a quarter of the minutes.
    """

    enabled: Switch = False
    window: Positive = 5
    interaction_threshold: tuple[_Bound, _Bound] = (3, 20)
    schedule_minutes: tuple[_Bound, _Bound] = (15, 120)

    def model_post_init(self, context: Any, /) -> None:
        for low, high in (self.interaction_threshold, self.schedule_minutes):
            if low > high:
                raise broken("have bounds in order")


class Cost(SettingsGroup):
    """Dollars for a million tokens, and what a day may cost; None for no limit."""

    input_per_mtok: Rate = 3.0
    output_per_mtok: Rate = 15.0
    daily_tokens: Positive | None = None
    daily_dollars: Rate | None = None


class Sharing(SettingsGroup):
    """Patterns and insights of other agents; nothing goes out or comes in unless enabled.

    key_env: the environment variable with the secret that both sides sign with. weight: most of
    one trust point that all insights of others together may move a proposal by.
    """

    enabled: Switch = False
    key_env: Text = "PREFRONTAL_SHARING_KEY"
    source: Text = "agent"
    weight: Share = 0.5


class Evidence(SettingsGroup):
    """How the deterministic reflector weighs what it sees.

    Evidence counts half after half_life_interactions further ones of the same peer, and half
    after half_life_days. jump_ratio: a request this many times the median of jump_after or more
    easy ones is a jump; jump_size: and no smaller than this many characters. tempo_per_day: more
    interactions a day than this are a rush, with at least tempo_after of them.
    grace_minutes: how long after its due time a promise still counts as kept.
    """

    half_life_interactions: Positive = 20
    half_life_days: Positive = 60
    jump_after: Positive = 5
    jump_ratio: Rate = 5.0
    jump_size: Positive = 400
    tempo_per_day: Rate = 10.0
    tempo_after: Positive = 5
    grace_minutes: Rate = 15.0
