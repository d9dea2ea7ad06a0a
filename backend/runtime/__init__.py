"""What every process of the arena needs: settings, database, logs, embedded servers. Knows no tables."""
