"""The memory of the cortex, and its storage."""
