"""The data packs of AsgardBench: see env_service/datasets/registry.py."""
