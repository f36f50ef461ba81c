"""Tools in order for an intent, and the decision among them."""
