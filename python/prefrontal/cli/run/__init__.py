"""`prefrontal run` and `init`: the whole loop in a terminal."""
