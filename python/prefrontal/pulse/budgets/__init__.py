"""How many wakes are left, and to whom."""
