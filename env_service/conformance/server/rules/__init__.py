"""The rules of the server kit, in the order in which they are checked."""
