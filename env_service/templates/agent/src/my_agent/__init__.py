"""An agent for Houseguest. Its folder holds agent.toml, which says how it is started."""
