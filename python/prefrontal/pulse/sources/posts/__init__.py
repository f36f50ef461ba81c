"""What other programs post, as signals."""
