"""Channels for messages: terminal, JSON lines, HTTP."""
