"""What the source of watched folders is made of."""
