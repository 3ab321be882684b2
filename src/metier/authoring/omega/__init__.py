"""The checklist of the fifth published design: every gate of a finished skill, and the reason where one fails."""
