"""What prefrontal decides, of every kind, and the durable log of it."""
