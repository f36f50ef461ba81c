"""Partitions of one installation: who holds which, and the signals that wait for each."""
