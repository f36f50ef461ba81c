"""The shadow: a watch that wakes nobody, its report, and how it is switched on."""
