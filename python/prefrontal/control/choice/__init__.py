"""Proposals and the choice among them: E2, E3, dACC, drives and modes."""
