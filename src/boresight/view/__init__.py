"""Pictures. Matplotlib is imported where something is drawn; the extra `view` brings it."""
