"""When to reflect, and the events that count."""
