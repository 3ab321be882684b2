"""Skills in Python that come with metier, each a package of its own, registered like those of anybody else."""
