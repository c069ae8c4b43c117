"""Videos: captions into readable paragraphs, which track to take, and the note that comes of both."""
