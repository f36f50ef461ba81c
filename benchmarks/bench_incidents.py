"""Incidents told on alerts of four sites, within 20 wake-ups in any day, beside plain rules.

    python benchmarks/bench_incidents.py FOLDER        # with fox.csv.gz, harrison.csv.gz, ...

A step of the attack is an incident; it is told when a window of it wakes. Ours learns from the
other three sites first, with every label; on the site itself it learns only of what it asked
about. The last twin is chosen in hindsight: of the thresholds that keep 20 a day on average, the
one that tells most.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from random import Random
from time import perf_counter

from alert_sites import SITES, Alert, read_site, write_windows
from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.replay.histories.windows import read_windows
from prefrontal.replay.incidents import Incidents, IncidentTally
from prefrontal.replay.learner import ASKED, Learner
from prefrontal.replay.presets.presets import RecordedPreset
from prefrontal.replay.session import Request, replay_events
from prefrontal.settings.budget import parse_budget
from prefrontal.types import Window

DAY_S, HOUR_S = 86400.0, 3600.0
BUDGET = "20/day"


def told(alerts: Iterable[Alert], wakes: Callable[[Alert], bool]) -> tuple[Incidents, int]:
    """What a rule tells of, and how often it wakes; the rule sees every alert, in order."""
    tally, count = IncidentTally(), 0
    for alert in alerts:
        woke = wakes(alert)
        count += woke
        if alert.step:
            tally.add(Window("", alert.time, (), relevant=True, incident=alert.step), woke)
    incidents = tally.incidents()
    assert incidents is not None
    return incidents, count


def unseen(key: Callable[[Alert], Hashable], hours: float = 24.0) -> Callable[[Alert], bool]:
    """Wakes when the key of an alert did not come for so long."""
    last: dict[Hashable, float] = {}

    def wakes(alert: Alert) -> bool:
        name = key(alert)
        before = last.get(name)
        last[name] = alert.time
        return before is None or alert.time - before > hours * HOUR_S

    return wakes


def attack_shares(sites: Iterable[list[Alert]]) -> dict[str, float]:
    """By name: the share of the hours it came in that were hours of an attack."""
    hours: dict[str, set[tuple[int, int]]] = defaultdict(set)
    attacks: set[tuple[int, int]] = set()
    for number, alerts in enumerate(sites):
        for each in alerts:
            hour = (number, int(each.time // HOUR_S))
            hours[each.text].add(hour)
            if each.step:
                attacks.add(hour)
    return {name: len(seen & attacks) / len(seen) for name, seen in hours.items()}


def best_share(alerts: list[Alert], shares: dict[str, float], days: float) -> tuple[Incidents, int]:
    """Wakes for names of a large share, once an hour each; the threshold is chosen in hindsight."""
    found: list[tuple[Incidents, int]] = []
    for least in sorted(set(shares.values())):
        fresh = unseen(lambda alert: alert.text, 1.0)

        def wakes(
            alert: Alert, least: float = least, fresh: Callable[[Alert], bool] = fresh
        ) -> bool:
            return shares.get(alert.text, 0.0) >= least and fresh(alert)

        outcome = told(alerts, wakes)
        if outcome[1] / days <= 20:
            found.append(outcome)
    return max(found, key=lambda each: (each[0].told, -each[1]))


def row(name: str, site: str, incidents: Incidents, per_day: float, most: str = "") -> str:
    delay = "–" if incidents.delay_s is None else f"{incidents.delay_s.median / 60:.1f} min"
    missed = ", ".join(incidents.missed) or "–"
    return (
        f"| {site} | {name} | {incidents.told} of {incidents.total} | {per_day:.1f} | {most} |"
        f" {delay} | {missed} |"
    )


def ours(site: str, files: dict[str, Path]) -> tuple[Incidents, float, int]:
    warm = tuple(str(files[each]) for each in SITES if each != site)
    request = Request(labels="asked", budget=parse_budget(BUDGET), warm=warm)
    result = replay_events(str(files[site]), request, PulseGate())
    assert result.incidents is not None
    assert result.budget is not None
    assert result.budget.most <= 20
    return result.incidents, result.wakes_per_day, result.budget.most


def alone(path: Path) -> tuple[Incidents, int]:
    """The same gate without other histories, from the first window on."""
    learner = Learner(PulseGate().open_incidents(parse_budget(BUDGET)), ASKED)
    tally, count = IncidentTally(), 0
    for window in RecordedPreset().apply(read_windows(str(path))):
        for question in learner.late(window.time):
            count += 1
            for each in question.judgement.folded:
                tally.deliver(each, question.time)
        judgement = learner.decide(window)
        learner.take(window, judgement)
        count += judgement.woke
        tally.add(window, judgement.woke)
        for each in judgement.folded:
            tally.deliver(each, window.time)
    incidents = tally.incidents()
    assert incidents is not None
    return incidents, count


def made_up(seed: int, count: int = 600) -> list[Alert]:
    """A site of a few days with one attack, for --smoke."""
    random = Random(seed)
    alerts = []
    for number in range(count):
        attack = 400 <= number < 410
        text = "credentials dumped" if attack else random.choice(["scan", "login", "update"])
        host, step = random.choice("abc"), "dump" if attack else ""
        alerts.append(Alert(1.7e9 + 600.0 * number, text, host, "made up", step))
    return alerts


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path, nargs="?", help="with a file for each site")
    options.add_argument("--site", choices=SITES, help="only this one")
    options.add_argument("--smoke", action="store_true", help="sites made up here, small")
    chosen = options.parse_args()
    if chosen.folder is None and not chosen.smoke:
        options.error("name the folder of the alerts, or --smoke for sites made up here")
    print("| site | rule | told | wake-ups a day | most in 24 h | delay, median | missed |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        if chosen.smoke:
            sites = {site: made_up(number) for number, site in enumerate(SITES)}
        else:
            sites = {site: read_site(chosen.folder, site) for site in SITES}
        files = {
            site: write_windows(alerts, Path(folder, f"{site}.jsonl"))
            for site, alerts in sites.items()
        }
        for site in [chosen.site] if chosen.site else SITES:
            alerts = sites[site]
            days = (alerts[-1].time - alerts[0].time) / DAY_S
            for name, rule in (
                ("name unseen for 24 hours", unseen(lambda alert: alert.text)),
                ("name and host unseen", unseen(lambda alert: (alert.text, alert.host))),
            ):
                incidents, count = told(alerts, rule)
                print(row(name, site, incidents, count / days))
            others = attack_shares(sites[each] for each in SITES if each != site)
            incidents, count = best_share(alerts, others, days)
            print(row("share of attack hours, in hindsight", site, incidents, count / days))
            incidents, count = alone(files[site])
            print(row(f"ours, {BUDGET}, nothing learned first", site, incidents, count / days))
            started = perf_counter()
            incidents, per_day, most = ours(site, files)
            took = perf_counter() - started
            print(row(f"ours, {BUDGET}", site, incidents, per_day, str(most)))
            print(f"<!-- {site}: {len(alerts):,} windows in {took:.0f} s, three sites of others"
                  " learned first -->", flush=True)  # fmt: skip
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"<!-- at most {peak:,.0f} MB, of which the alerts of the twins are a part -->")


if __name__ == "__main__":
    main()
