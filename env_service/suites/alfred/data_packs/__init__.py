"""The data packs of ALFRED: see env_service/datasets/registry.py."""
