"""`prefrontal cortex`: what the agent believes, and what reflection costs."""
