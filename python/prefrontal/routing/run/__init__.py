"""One prompt through all phases, and its trace for people."""
