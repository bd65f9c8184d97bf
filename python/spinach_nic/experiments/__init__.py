"""The published tables and figures, one file each; `spinach reproduce` runs them again.

A file is named after its experiment, with `_` for `-` and `.`, and nothing lists the files. Those whose name
begins with `_` hold what several share.
"""
