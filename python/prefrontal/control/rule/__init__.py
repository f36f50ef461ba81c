"""The gated rule state of lateral prefrontal cortex: written, held, read, trained."""
