"""Frozen data and pure rules. Knows no gRPC, no simulator and no disk."""
