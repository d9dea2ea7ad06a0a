"""Server-sent events: the one reader of changes in a process, and the streams that it feeds."""
