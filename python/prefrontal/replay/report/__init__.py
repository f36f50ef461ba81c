"""What a replay shows: table, page, picture, notebook, and their words."""
