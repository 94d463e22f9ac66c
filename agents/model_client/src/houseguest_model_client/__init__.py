"""A client of OpenAI-compatible chat servers, for Houseguest's service and its agents.

`client.ChatClient` asks a model. Each module can be imported by itself; the package imports none.
"""
