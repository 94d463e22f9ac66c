"""Plays a run with its agents, for the command line and for the Python API."""
