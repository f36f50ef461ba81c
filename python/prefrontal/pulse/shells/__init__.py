"""Thin shells around the gate: `Watch` with threads, `Stepper` by hand, `Asker` for who asks."""
