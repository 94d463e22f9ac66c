"""A revision each. The newest one makes the tables what ``env_service.index.schema`` says."""
