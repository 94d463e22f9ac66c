"""The published data: instances, problems, descriptions, pictures, plans and labels."""
