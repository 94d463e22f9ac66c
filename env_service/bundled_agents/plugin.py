"""The commands of bundled agents, as the command line lists them."""

from env_service.cli.command import Command

MCP = Command(
    "env_service.bundled_agents.commands:mcp_command",
    "Serve the sessions of a run as tools of the Model Context Protocol.",
)
"""``houseguest mcp``."""
