"""A client of OpenAI-compatible chat servers, for Houseguest's service and its agents.

`client.ChatClient` asks a model. The package itself imports none of its modules.
"""
