"""The BabyAI levels of LLM-BabyBench, played in minigrid. Knows no suite."""
