"""`prefrontal replay` and `adopt`: from a history to the live gate."""
