"""A module written when no tool fits, and what it may not contain."""
