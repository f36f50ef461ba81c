"""The keys of prefrontal.yml below `executive`."""

from __future__ import annotations

from .rules import LogOdds, Rate, SettingsGroup, Share, Switch, Text, Trust, Whole


class LinkSettings(SettingsGroup):
    """What the parts tell each other; each one off leaves them as they are alone.

    outcomes: what came of acting trains the gate, the index of tools and the memory of peers.
    trust: how far the one behind a signal is trusted moves its score and its budget. beliefs: what
    is believed reaches the choice of a tool and the agent. consult: a step for somebody who is not
    trusted, or one that cannot be undone, waits for a verdict. control: the control agent picks
    among the ranked tools; it needs torch.
    """

    outcomes: Switch = True
    trust: Switch = True
    beliefs: Switch = True
    consult: Switch = True
    control: Switch = False


class TrustSettings(SettingsGroup):
    """What follows from a trust of -10..+10.

    log_odds_per_point: added to every score of the peer's signals, times the trust. defer_below: a
    step for a peer with less trust waits for a verdict, unless it is a tool declared to have no
    side effects; nobody judged counts as 0. budget_below, wakes_per_hour: a peer with less trust
    than the first may wake only so often; null: as often as anybody.
    """

    log_odds_per_point: LogOdds = 0.15
    defer_below: Trust = -2
    budget_below: Trust = -2
    wakes_per_hour: Rate | None = 2.0


class ExecutiveSettings(SettingsGroup):
    """Everything `prefrontal run` is told besides the parts it joins.

    tools: the folder of the tools; null: `routing.workflows_root`. act: whether tools are run;
    without it the agent is asked everything. tie_margin: scores of tools that differ by no more
    are decided by beliefs. max_beliefs: most that are heard for one wake. take_up_hours: wakes
    that an earlier run did not come to are taken up when they are no older.
    """

    links: LinkSettings = LinkSettings()
    tools: Text | None = None
    act: Switch = True
    trust: TrustSettings = TrustSettings()
    tie_margin: Share = 0.01
    max_beliefs: Whole = 8
    take_up_hours: Rate = 6.0

    @property
    def take_up_s(self) -> float:
        return self.take_up_hours * 3600.0
