"""A second look at a step before the agent takes it."""
