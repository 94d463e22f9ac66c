"""BabyAI missions in grid rooms, played step by step."""
