"""What every other package uses: errors, files, units, signals, the cache, arguments."""
