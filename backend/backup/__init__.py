"""An arena in one file: made while it runs, checked without a database, restored into an empty arena.

Theory of operation. A backup is a zip: a text for each table as COPY writes it, the replays in tars of some thousand,
the key that signs the cookies, and at last `manifest.json` with the size and the SHA-256 of each part. All tables are
read in one transaction that sees one moment. Replays are copied after it: objects never change but for deletions, and
what was deleted meanwhile is only counted. The file has a temporary name until it is whole.

Restoring checks the whole file first, then stores the replays, then loads all tables in one transaction, which makes
the schema of the backup's revision, fills it, and upgrades it. Whatever kills a restore leaves an empty database, and a
store that is marked as the arena's: a restore can begin again, and nothing else takes it for its own.
"""
