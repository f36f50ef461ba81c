"""`prefrontal gate`: one answer, wake or sleep, for who asks now and then."""
