"""What the cortex remembers between cycles, and where it is stored."""
