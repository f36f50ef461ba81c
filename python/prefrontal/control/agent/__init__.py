"""The agent that wires the parts, its files and its diagnosis."""
