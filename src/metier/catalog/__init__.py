"""Disk to catalog: roots, discovery, merging, the cache, watching."""
