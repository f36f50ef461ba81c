"""Calendars as text (RFC 5545)."""

from __future__ import annotations


def event(uid: str, start: str, *more: str, title: str = "", ends: str = "") -> str:
    lines = ["BEGIN:VEVENT", f"UID:{uid}", f"DTSTART{start}", f"SUMMARY:{title or uid}", *more]
    return "\r\n".join([*lines, *([f"DTEND{ends}"] if ends else []), "END:VEVENT"])


def calendar(*events: str) -> bytes:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//test//EN", *events, "END:VCALENDAR"]
    return ("\r\n".join(lines) + "\r\n").encode()
