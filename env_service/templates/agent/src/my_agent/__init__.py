"""An agent for Houseguest. agent.toml in this folder defines how it starts."""
