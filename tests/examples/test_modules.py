"""The example modules ask a sensible question about a signal of the source each is made for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prefrontal.cli.watch.module_files import read_fingerprint
from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.pulse.modules.template import QuestionTemplate
from prefrontal.pulse.sources.github_notifications import GitHubAccount, GitHubNotifications
from prefrontal.pulse.sources.mail_message import read_message
from prefrontal.pulse.sources.mcp.signals import McpSignals
from prefrontal.pulse.sources.posts.cloud_events import cloud_events
from prefrontal.pulse.sources.posts.github_events import github_event
from prefrontal.pulse.sources.posts.mapped_json import mapped_events
from prefrontal.types import SignalEvent

from ..pulse.sources.github_site import TOKEN, thread
from ..pulse.sources.posts.test_mapped_json import MESSAGE, SLACK

MODULES = Path(__file__).parents[2] / "examples" / "modules"

PULL = {
    "action": "opened",
    "pull_request": {"title": "Mend the gate", "html_url": "https://h/a/b/pull/7"},
    "sender": {"login": "jane"},
}
PAID = (
    b'{"specversion": "1.0", "id": "1", "source": "/orders", "type": "paid",'
    b' "data": {"message": "Order 17"}}'
)
NOTIFIED = GitHubNotifications(GitHubAccount(TOKEN))._event(thread(7, "2026-11-23T10:00:00Z"))
COMMIT = {"actor": "Ada", "text": "Mend the gate", "repository": "/p", "path": "src/a.py"}
_LETTER = b"From: Bob <bob@example.org>\nSubject: Lunch?\n\n"
_READ = read_message(b"1 (UID 5 ", _LETTER, "ada@example.org/INBOX", 0.0)
assert _READ is not None
MAIL = _READ.event
SIGNALS = {
    "commits": SignalEvent("git", "/p/src/a.py", "modified", 1.0, 0.0, COMMIT),
    "github": github_event("pull_request", PULL, 0.0),
    "cloud-events": next(cloud_events("application/cloudevents+json", {}, PAID, 0.0))[1],
    "github-notifications": NOTIFIED,
    "slack": next(mapped_events("slack", SLACK, json.dumps(MESSAGE).encode(), 0.0))[1],
    "mail": MAIL,
    "calendar": SignalEvent("calendar", "team", "begins", 1.0, 0.0, {"text": "Standup"}),
    "log-lines": SignalEvent("log", "/var/log/app.log", "line", 1.0, 0.0, {"text": "ERROR: full"}),
    "mcp-server": McpSignals("tickets").changed("ticket://17", "The gate is stuck", 0.0),
}
QUESTIONS = {
    "commits": "a.py was changed in src by Ada: Mend the gate. Does it need me? (/p/src/a.py)",
    "github": "pull_request.opened by jane: Mend the gate. Does it need me? (https://h/a/b/pull/7)",
    "github-notifications": "Issue 7: notification.mention at "
    "https://github.com/ada/engine/issues/7. Does it need me?",
    "slack": "U2147483697 in C024BE91L: The gate is stuck. Does it need me?",
    "calendar": "Standup begins (team). Is there something to prepare?",
    "mail": "Bob <bob@example.org> wrote: Lunch? (ada@example.org/INBOX). Does it need me?",
    "cloud-events": "paid from /orders: Order 17. Is there something to do?",
    "log-lines": "app.log says: ERROR: full. Is something wrong? (/var/log/app.log)",
    "mcp-server": "ticket://17 was modified: The gate is stuck. Does it need me?",
}


def test_every_example_is_tried_here() -> None:
    assert {path.stem for path in MODULES.iterdir()} == SIGNALS.keys() == QUESTIONS.keys()


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_an_example_asks_about_its_signal(name: str) -> None:
    module = read_fingerprint(MODULES / f"{name}.yml")
    question = QuestionTemplate.parse(module.question_template)
    assert question.render([SIGNALS[name]], module.module_id) == QUESTIONS[name]


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_an_example_hears_its_own_source_alone(name: str) -> None:
    limbic = LimbicLayer()
    limbic.register(name, read_fingerprint(MODULES / f"{name}.yml"))
    hears = {other for other, signal in SIGNALS.items() if limbic.score_routed([signal])}
    assert hears == {name} | ({"github-notifications"} if name == "github" else set())
