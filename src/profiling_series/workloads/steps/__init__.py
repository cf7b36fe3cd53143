"""The code that is measured, one module a workload; only these modules import torch.

They are imported in the process that measures, and hold everything that a step runs: functions, ``torch.nn``
modules, data. A recording is of one version of such a module: see `profiling_series.workloads.code_digest`.
"""
