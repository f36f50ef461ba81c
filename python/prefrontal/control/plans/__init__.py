"""The choice among ranked plans, by the situation and by what came of them."""
