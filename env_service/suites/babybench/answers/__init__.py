"""Reads the text of an answer, by the published rules or by better ones."""
