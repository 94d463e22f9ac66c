"""LLM-BabyBench: questions about BabyAI levels, answered in words, and the levels themselves."""
