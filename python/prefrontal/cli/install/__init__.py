"""`prefrontal install` and `uninstall`: the gate in front of an agent that is there."""
