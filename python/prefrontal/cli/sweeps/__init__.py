"""Many settings at once, for `replay --sweep` and `cortex backtest --sweep`."""
