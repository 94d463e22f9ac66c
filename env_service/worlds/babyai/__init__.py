"""The BabyAI levels of LLM-BabyBench, played in minigrid, independent of any suite."""
