"""Showing what was read, alone, over many runs, or two side by side. Nothing here imports torch.

The views' names are those of the package, `profiling_series`; each comes from the module of its subject.
"""
