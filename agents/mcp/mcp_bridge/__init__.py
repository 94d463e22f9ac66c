"""Serves the episodes of a run as tools of the Model Context Protocol (MCP)."""
