"""Agents in bubblewrap: kernel namespaces without Docker."""
