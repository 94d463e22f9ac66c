"""The server kit: a client that checks any house which serves AgentService."""

from env_service.conformance.server.check import ServerOptions, check_server

__all__ = ["ServerOptions", "check_server"]
