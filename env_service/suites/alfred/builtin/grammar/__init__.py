"""The grammar that built-in tasks get their commands from: all texts are our own."""
