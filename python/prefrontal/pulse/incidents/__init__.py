"""Bursts of alike windows, and which of them are worth a question within a budget."""
