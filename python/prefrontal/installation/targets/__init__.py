"""What goes in front of each runtime, by its name on the command line."""
