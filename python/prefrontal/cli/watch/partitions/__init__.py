"""`prefrontal watch --partitions`: one installation decided about by processes of many machines."""
