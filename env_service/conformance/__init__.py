"""Conformance kits: does a guest, or a house, keep to the protocol?"""
