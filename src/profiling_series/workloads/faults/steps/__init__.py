"""The code of the planted faults that is measured, one module a workload; only these modules import torch."""
