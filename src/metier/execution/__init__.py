"""Running the tools of skills: programs of strangers, in any language, unable to harm the machine.

wire       one line of JSON in, one out: the protocol, as pure functions
arguments  what a model may pass to a tool: JSON Schema, defaults, types
runtimes   from a tool to the command that runs it
seccomp    a filter of system calls, as bytes
sandbox    how far a program is kept from the machine
functions  a tool that is a function of an installed package, called in this process
process    the one place that starts programs
runner     one call, from its arguments to its result
"""
