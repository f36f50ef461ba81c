"""The key `adopted` of prefrontal.yml: histories that a replay taught the gate."""

from __future__ import annotations

from .rules import Recall, SettingsGroup, Text

QUESTION = "{what}. Does it matter? ({location})"


class Adopted(SettingsGroup):
    """One history that `prefrontal adopt` replayed; what it learned is in the state folder.

    module: the id of its module. git: the repository whose new commits are its windows; without it
    none come by themselves. branch: whose commits; null for what is checked out. relevant: what
    labels them, as `--relevant` of `prefrontal replay`. recall: share of what matters that must
    wake; a recall or a threshold of the gate stands in front. question: what is asked of a wake.
    """

    module: Text
    git: Text | None = None
    branch: Text | None = None
    relevant: Text | None = None
    recall: Recall | None = None
    question: Text = QUESTION
