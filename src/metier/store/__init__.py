"""The writing side: what the user has decided about skills, and what is done with their files."""
