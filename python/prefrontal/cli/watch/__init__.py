"""`prefrontal watch` and `modules`: the live gate in a terminal."""
