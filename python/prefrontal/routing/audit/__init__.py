"""The rules of routing as checks, on this program and on projects."""
