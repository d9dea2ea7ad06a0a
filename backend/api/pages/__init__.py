"""The built pages and what their HTML says: files, heads, previews and pictures of matches."""
