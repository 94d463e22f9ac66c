"""Conformance kits: check whether an agent, or a service, follows the protocol."""
