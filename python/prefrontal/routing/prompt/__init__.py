"""From words to an intent: parsed, weighed, clarified."""
