"""Asks language models behind OpenAI-compatible servers, for tools that write or judge texts."""
