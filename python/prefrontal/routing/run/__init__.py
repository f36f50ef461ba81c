"""Runs a prompt through all phases, and renders its trace."""
