"""What a model gets to see, as pure functions over skills: nothing in here touches a file.

budget        which descriptions are shown when not all of them fit
listing       layer 1: the list of skills in every style
prompt        where the list goes, and the rules around it
arguments     filling in `$ARGUMENTS` and its kin
activation    layer 2: one skill's instructions
triggers      skills that a user asks for by name
gates         skills that wait until a certain file is worked on
conversation  what one dialogue has been told and has loaded
grants        what the skills in use may do without asking
"""
