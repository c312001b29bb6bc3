"""Other packages' objects in and out. Each module here imports its own peer and nothing else does."""
