"""Contact sheets of the household world: every object in every state, every scene."""
