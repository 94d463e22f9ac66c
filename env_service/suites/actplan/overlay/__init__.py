"""Our additions to published definitions: corrections, and constraints of descriptions."""
