"""Reflects on an episode with the cortex: beliefs, trust, consultation."""
