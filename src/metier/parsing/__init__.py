"""Text to skill. Nothing here touches a file."""
