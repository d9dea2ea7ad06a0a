"""How large an upload may be. Apart from the settings, whose libraries take longer to load than a match to start."""

SOURCE_BYTES = 100_000
"""The largest source file that is accepted."""
ARCHIVE_BYTES = 1_200_000
"""The largest zip, as sent and as kept: what `sources.pack` makes of files within the limits always fits."""
