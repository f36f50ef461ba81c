"""The page as it comes: readable when empty, escaped when hostile, changed as the log grows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from prefrontal.cortex.models import Belief, ReflectionRecord
from prefrontal.http_door import Door
from prefrontal.testing import ManualClock
from prefrontal.web.app import Dash, build_dash
from prefrontal.web.dash_context import DashContext
from prefrontal.web.page import FIRST, SECOND

from .dash_samples import (
    HOSTILE,
    INVOICES,
    NOON,
    decision,
    meet,
    reflect,
    remember,
    shown_in,
    wake,
)

NAMES = [each.name for each in (*FIRST, *SECOND)]


@contextmanager
def opened(context: DashContext) -> Iterator[tuple[TestClient, Dash]]:
    dash = build_dash(context, Door())
    with TestClient(dash.app, base_url="http://127.0.0.1:8768") as client:
        yield client, dash


def state(client: TestClient) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = client.get("/state").json()["regions"]
    return found


def text(client: TestClient, region: str) -> str:
    pieces = state(client)[region]["pieces"]
    return " ".join(re.sub(r"<[^>]*>", " ", " ".join(pieces.values())).split())


def test_a_fresh_install_says_what_to_do_next(tmp_path: Path) -> None:
    with shown_in(tmp_path) as context, opened(context) as (client, _):
        page = client.get("/").text
        for name in ("questions", "routes", "reflections", "modules", "beliefs", "facts", "peers"):
            tag = next(each.tag for each in (*FIRST, *SECOND) if each.name == name)
            region = rf'<{tag} id="{name}"[^>]*></{tag}>\s*<p class="empty">([^<]+)'
            found = re.search(region, page)
            assert found, name
        assert "prefrontal watch FOLDER" in page
        assert "start prefrontal watch" in text(client, "health")
        assert "nothing was decided" not in page


def test_the_page_has_landmarks_and_every_region_a_heading(tmp_path: Path) -> None:
    with shown_in(tmp_path, INVOICES) as context, opened(context) as (client, _):
        page = client.get("/").text
        for landmark in ("<header", "<nav aria-label", "<main>", "<footer>", '<html lang="en">'):
            assert landmark in page
        assert page.count('aria-live="polite"') == 1
        for name in NAMES:
            assert f'aria-labelledby="{name}-title"' in page
            assert f'<h2 id="{name}-title">' in page
        identifiers = re.findall(r' id="([^"]+)"', page)
        assert len(identifiers) == len(set(identifiers))


def test_nothing_on_the_page_is_inline_or_from_outside(tmp_path: Path) -> None:
    with shown_in(tmp_path, INVOICES) as context:
        context.log.append(wake())
        with opened(context) as (client, _):
            page = client.get("/").text
            assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", page)
            assert "<script>" not in page
            assert set(re.findall(r'(?:src|href)="(?!#)([^"?]*)', page)) == {
                "data:,",
                *(f"/static/{name}" for name in (
                    "dash.css", "uplot.min.css", "regions.js", "stream.js", "dash.js",
                    "htmx.min.js", "uplot.min.js", "curve.js")),
            }  # fmt: skip
            for address in re.findall(r'"(/static/[^"]*)"', page):
                assert client.get(address).status_code == 200


class Elements(HTMLParser):
    """Which tags and attributes a page has."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def everywhere_hostile(folder: Path, context: DashContext, clock: ManualClock) -> None:
    woken = wake(subject=HOSTILE, question=HOSTILE, why=((HOSTILE, 1.0),), id="wake1")
    route = decision(
        "route", HOSTILE, id="route1", cause="wake1", question=HOSTILE,
        plain={"tool": HOSTILE, "sentence": HOSTILE, "mode": HOSTILE,
               "considered": [{"tool": HOSTILE, "score": 0.5, "flags": [HOSTILE]}],
               "verdict": {"decision": HOSTILE, "reasoning": HOSTILE}},
    )  # fmt: skip
    act = decision("act", HOSTILE, cause="route1", question=HOSTILE, plain={"status": HOSTILE})
    context.log.append_many(
        [woken, route, act, decision("assessment", HOSTILE, question=HOSTILE),
         decision("belief", HOSTILE, question=HOSTILE, plain={"change": HOSTILE})]
    )  # fmt: skip
    context.log.save_state("status", b'{"sources": [{"kind": "<img>", "<b>": "<i>"}]}', 0)
    remember(folder, Belief(HOSTILE, HOSTILE, HOSTILE, 1, created_at=NOON, peer_id=HOSTILE))
    reflect(folder, ReflectionRecord(1, NOON, HOSTILE, [], [], HOSTILE, 1.0))
    meet(folder, HOSTILE, clock, (3, -2))


def test_what_strangers_wrote_is_shown_as_text(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with shown_in(tmp_path, clock=clock) as context:
        everywhere_hostile(tmp_path, context, clock)
        with opened(context) as (client, _):
            page = client.get("/").text
            assert "\u202e" not in page
            assert "\x1b" not in page
            elements = Elements()
            elements.feed(page)
            assert not {"img", "i"} & elements.tags
            assert not {name for name in elements.attributes if name.startswith("on")}
            for region in ("strip", "questions", "modules", "routes", "reflections", "beliefs",
                           "peers", "health"):  # fmt: skip
                pieces = state(client)[region]["pieces"]
                assert pieces, region
                assert "&lt;img" in " ".join(pieces.values())


def test_a_step_that_was_held_back_says_so_once(tmp_path: Path) -> None:
    with shown_in(tmp_path) as context:
        verdict = {"decision": "deny", "reasoning": "trust in ann is -4"}
        told = {"sentence": "It fits best.", "verdict": verdict}
        context.log.append(decision("route", "a/list", acted=False, reason="deferred", plain=told))
        with opened(context) as (client, _):
            words = text(client, "routes")
    assert "It was held back: deny. trust in ann is -4" in words
    assert words.count("trust in ann") == 1


def test_routes_are_shown_with_scores_and_why(tmp_path: Path) -> None:
    with shown_in(tmp_path) as context:
        considered = [{"tool": "a/list", "score": 0.91, "flags": ["accepted before"]},
                      {"tool": "b/sum", "score": 0.4, "flags": []}]  # fmt: skip
        told = {"sentence": "It fits best.", "considered": considered}
        route = decision("route", "a/list", score=0.91, question="list the names", plain=told)
        act = decision("act", "a/list", cause=route.id, question="12 names",
                       plain={"status": "done", "seconds": 0.25, "sha256": "00"})  # fmt: skip
        context.log.append_many([route, act])
        with opened(context) as (client, _):
            words = text(client, "routes")
            for part in ("score 0.91", "It fits best.", "b/sum 0.40", "accepted before",
                         "list the names", "Acted: done in 0.25 s. 12 names"):  # fmt: skip
                assert part in words


def test_peers_show_how_trust_went_and_where_it_was_clamped(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    told = {"peer_id": "ann", "proposed": 10, "clamped": 5, "previous": 2, "rationale": "",
            "outcome": "recorded", "why": ""}  # fmt: skip
    meet(tmp_path, "ann", clock, (2, 5))
    reflect(tmp_path, ReflectionRecord(1, clock.now() - 60, "timer", ["ann"], [], "Looked.", 1.0,
                                       assessments=(told,)))  # fmt: skip
    with shown_in(tmp_path, clock=clock) as context, opened(context) as (client, _):
        [piece] = state(client)["peers"]["pieces"].values()
        assert piece.count('class="clamp"') == 1
        assert "trust over time: +2, +5; clamped 1 time" in piece
        assert "+10 was proposed, +5 was taken" in piece
        assert "Looked." in text(client, "reflections")


def test_a_damaged_file_of_the_agent_is_told_in_its_place(tmp_path: Path) -> None:
    remember(tmp_path)
    (tmp_path / "workspace" / "memory" / "files" / "cortex-beliefs.md").write_text("{")
    with shown_in(tmp_path) as context, opened(context) as (client, _):
        assert "must be readable" in text(client, "beliefs")
        assert client.get("/").status_code == 200


def test_the_gate_says_how_it_is_where_it_does(tmp_path: Path) -> None:
    with shown_in(tmp_path) as context:
        context.log.save_state("status", b'{"at": 1700049600, "waiting": 3, "unwritten": 2, '
                             b'"decisions": {"woke": 4, "below_threshold": 1900}, '
                             b'"sources": [{"kind": "LogSource", "lines": 1200, "failed": 0}]}',
                             0)  # fmt: skip
        with opened(context) as (client, _):
            words = text(client, "health")
            for part in (
                "3 events waiting",
                "2 decisions lost",
                "LogSource lines 1,200",
                "4 woke, 1,900 below threshold",
            ):
                assert part in words
    assert "the gate does not say" not in words


def test_a_module_says_what_the_gate_does_about_its_threshold(tmp_path: Path) -> None:
    facts = {"sentence": "threshold 0.43 follows recall 0.90", "warning": "recall 0.90 was asked"}
    with shown_in(tmp_path) as context:
        context.log.append_many([wake(NOON, "invoices")])
        with opened(context) as (client, _):
            assert "The threshold is its own; no settings name it" in text(client, "modules")
        context.log.save_state("status", json.dumps({"gate": {"invoices": facts}}).encode(), 0)
        with opened(context) as (client, _):
            words = text(client, "modules")
    assert "Threshold 0.43 follows recall 0.90." in words
    assert "Recall 0.90 was asked." in words


def test_a_curve_and_a_preview_are_told(tmp_path: Path) -> None:
    with shown_in(tmp_path, INVOICES) as context:
        context.log.append_many([
            wake(NOON - 9000, score=0.9, label=1.0),
            wake(NOON - 5000, score=0.3, reason="below_threshold"),
            wake(NOON - 1000, score=0.7, label=0.0),
        ])  # fmt: skip
        with opened(context) as (client, _):
            curve = client.get("/modules/curve", params={"module": "invoices"}).json()
            assert (curve["windows"], curve["labelled"], curve["recall"][91]) == (3, 2, 0.0)
            told = {"module": "invoices", "threshold": "0.8"}
            words = client.get("/modules/preview", params=told).json()["words"]
            assert "woken 1 time instead of 2" in words
            slip = client.get("/modules/preview", params={"module": "x", "threshold": "9"})
            assert slip.status_code == 422
            assert slip.text == "threshold must be a number from 0 to 1, got '9'"
            unknown = client.get("/modules/curve", params={"module": "nobody"}).json()
            assert unknown["windows"] == 0


@pytest.mark.parametrize("count", [1, 70])
def test_very_many_modules_are_told_and_not_all_shown(tmp_path: Path, count: int) -> None:
    with shown_in(tmp_path) as context:
        context.log.append_many(wake(NOON + n, f"m{n:02}") for n in range(count))
        with opened(context) as (client, _):
            pieces = state(client)["modules"]["pieces"]
            assert len(pieces) == min(count, 61)
            assert ("10 modules more" in text(client, "modules")) == (count == 70)
