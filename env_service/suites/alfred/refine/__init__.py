"""Makes command files with a language model: asks, checks the replies, stores the texts."""
