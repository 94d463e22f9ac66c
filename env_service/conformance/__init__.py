"""Conformance kits: does an agent, or a service, keep to the protocol?"""
