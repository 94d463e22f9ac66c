"""Submitted agents: how the service checks and scores them, and the organisers' queue."""
