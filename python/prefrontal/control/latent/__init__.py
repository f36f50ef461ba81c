"""What is sensed, as latents of self and world, and their last moments."""
