"""Replays a stream of ratings through ledger, triggers and clamp."""
