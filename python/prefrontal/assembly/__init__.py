"""The only place that knows two domains: it hands the parts of one to the roles of another."""
