"""An MCP server in front of the sessions of a run: its clients are the agents."""

from __future__ import annotations

from mcp_bridge.main import main

if __name__ == "__main__":
    raise SystemExit(main())
