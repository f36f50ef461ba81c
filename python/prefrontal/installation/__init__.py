"""What `prefrontal install` writes into the files of others, and how it is taken out again."""
