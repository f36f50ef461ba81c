"""Reflectors: models and rules, from shallow to deep."""
