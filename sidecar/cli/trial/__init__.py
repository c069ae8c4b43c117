"""The trial: the owner's decisions about the docket, full screen."""
