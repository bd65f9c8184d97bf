"""The published tables and figures, one file each; `spinach reproduce` runs them again.

A file is named after its experiment, with `_` for `-` and `.`, and there is no list of files. Files whose
name begins with `_` hold code that several share.
"""
