"""Frozen data and pure rules, without gRPC, simulators or files."""
