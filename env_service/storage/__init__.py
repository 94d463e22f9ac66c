"""Files and the forms that they are kept in: plain, atomic, canonical, signed."""
