"""MCP servers as a source of signals."""
