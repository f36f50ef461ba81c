"""What was said: every message, whole, by conversation; kept over restarts and searched."""
