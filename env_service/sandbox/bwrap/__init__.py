"""Guests in bubblewrap: kernel namespaces without Docker."""
