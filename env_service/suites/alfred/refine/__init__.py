"""Makes command files with a language model: asks it, checks what it says, keeps what is done."""
