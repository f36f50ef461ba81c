"""`prefrontal decisions`, `explain`, `feedback` and `verify`."""
