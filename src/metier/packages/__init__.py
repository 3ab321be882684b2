"""Skills that are Python packages: functions of installed code, offered as tools.

workspace      the files that a tool may touch
project_skill  how a package declares a skill and its tools
installed      the packages that are installed, and what became of each
"""
