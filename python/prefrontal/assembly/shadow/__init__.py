"""The shadow: a gate that decides beside the one that wakes, and what it would have done."""
