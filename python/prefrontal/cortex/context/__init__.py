"""What a reflector is shown, within its tokens, and how beliefs stand in a prompt."""
