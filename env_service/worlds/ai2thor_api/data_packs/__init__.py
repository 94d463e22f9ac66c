"""The data packs of iTHOR's scenes: see env_service/datasets/registry.py."""
