"""The agent kit: an adversarial service that plays short scenes with an agent."""

from env_service.conformance.agent.check import check_agent, check_sandbox
from env_service.conformance.agent.options import AgentOptions

__all__ = ["AgentOptions", "check_agent", "check_sandbox"]
