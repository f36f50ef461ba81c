"""Several tools as one plan: read, wired, checked, rendered."""
