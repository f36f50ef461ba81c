"""The context memory and E1, which predicts from it and is called by cues."""
