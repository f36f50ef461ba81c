"""Latents of self and world, and a buffer of recent ones."""
