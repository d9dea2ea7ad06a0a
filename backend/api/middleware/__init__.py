"""What happens to every request and connection before a route sees it."""
