"""`python -m metier` is the command line."""

from metier.cli.main import main

main()
