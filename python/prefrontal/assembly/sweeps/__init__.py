"""Many settings on many histories, on local worker processes."""
