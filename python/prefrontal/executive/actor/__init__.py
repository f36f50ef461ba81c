"""Runs the chosen tool in the sandbox, and judges what came of it."""
