"""Solved tasks that a prompt shows: where they are read from, and which of them are drawn."""
