"""Agents in containers, started by a Docker engine."""
