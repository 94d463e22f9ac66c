"""The data packs of ActPlan-1K: see env_service/datasets/registry.py."""
