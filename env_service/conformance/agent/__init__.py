"""The agent kit: an adversarial service that plays short scenes with an agent."""

from env_service.conformance.agent.check import AgentOptions, check_agent, check_sandbox

__all__ = ["AgentOptions", "check_agent", "check_sandbox"]
