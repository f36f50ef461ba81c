"""The live page: what the gate and the agent do, and a person's say in it; `prefrontal dash`."""
