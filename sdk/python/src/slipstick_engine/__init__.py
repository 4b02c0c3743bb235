"""Write an engine for Slipstick: a Spec, vectors, and a function from inputs to an Answer."""
from .engine import Engine, Spec
from .values import Answer, Rejection, Value, Warning

__all__ = ["Answer", "Engine", "Rejection", "Spec", "Value", "Warning"]
