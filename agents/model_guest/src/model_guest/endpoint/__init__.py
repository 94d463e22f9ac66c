"""A model behind an OpenAI-compatible HTTP endpoint."""
