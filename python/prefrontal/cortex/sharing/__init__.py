"""Signed files of patterns and insights that agents share."""
