"""Writers, one file a format; found through `boresight.logs.registry`."""
