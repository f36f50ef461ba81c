"""What mattered: labels from the conventions of a repository."""
