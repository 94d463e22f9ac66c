"""The rules of the agent kit, in the order of a guest's life."""
