"""`prefrontal agent`, `ledger` and `memory`."""
