"""One reflection at a time, from the trigger to the record."""
