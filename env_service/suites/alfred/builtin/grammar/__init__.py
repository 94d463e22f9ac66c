"""The grammar that writes the commands of built-in tasks: all texts are Houseguest's."""
