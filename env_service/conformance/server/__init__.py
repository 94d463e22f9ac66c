"""The server kit: a client that checks any service that implements AgentService."""

from env_service.conformance.server.check import ServerOptions, check_server

__all__ = ["ServerOptions", "check_server"]
