"""A module tried out: static checks, load, dry run, call; each in the sandbox."""
