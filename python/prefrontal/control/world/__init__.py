"""The grid world that hurts: alone, many at once, as a Gymnasium environment."""
