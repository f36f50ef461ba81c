"""The choice among ranked plans, by the situation and their outcomes."""
