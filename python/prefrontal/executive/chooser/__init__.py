"""Which tool answers a wake: the router's choice, beliefs and memory."""
