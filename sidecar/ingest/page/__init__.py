"""Reading an HTML page: bytes to text, text to tree, tree to the article, article to Markdown (pure)."""
