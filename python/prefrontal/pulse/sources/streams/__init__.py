"""Streams of other programs, read from where the last decision about them was stored."""
