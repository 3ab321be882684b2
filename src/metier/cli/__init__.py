"""The command line: one file a command. Data goes to standard output, talk to standard error."""
