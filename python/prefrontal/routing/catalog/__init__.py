"""Which tools there are: found, read as text, described, remembered."""
