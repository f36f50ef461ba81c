"""`prefrontal route`: from a prompt to a promoted tool."""
