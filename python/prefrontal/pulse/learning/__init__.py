"""What a gate learns: weights, rules, labels."""
