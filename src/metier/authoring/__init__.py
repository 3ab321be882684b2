"""For people who write skills: checking them, and mending what is safe to mend."""
