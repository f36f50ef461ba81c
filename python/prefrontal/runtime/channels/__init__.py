"""Where messages come from and go to: terminal, JSON lines, HTTP."""
