"""What is known beside published definitions: corrections, and constraints of descriptions."""
