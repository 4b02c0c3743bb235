"""Write an engine for Slipstick in Python.

Define a Spec, which is the JSON document of the engine as a dict, and a function from inputs to an
Answer. Make an Engine of both, under the name ENGINE in the module engine. Reject inputs by raising
a Rejection. The command slipstick-engine makes one executable file of the directory.

Numbers are in the SI unit of their field. An input that was not sent, and has no default, is None.
"""
from .engine import Engine, Spec
from .values import Answer, Rejection, Value, Warning

__all__ = ["Answer", "Engine", "Rejection", "Spec", "Value", "Warning"]
