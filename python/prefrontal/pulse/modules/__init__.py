"""What a module watches and asks: fingerprints, their documents and routes."""
