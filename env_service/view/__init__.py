"""The viewer's service: runs from the index and from their folders, over HTTP."""
