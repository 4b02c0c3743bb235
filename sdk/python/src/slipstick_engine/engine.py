"""Serves an engine to a Slipstick server."""
from __future__ import annotations

import concurrent.futures
import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import grpc

from . import engine_pb2 as pb
from . import logs, ranges
from .values import SEVERITIES, Answer, Rejection, Value, Warning, spell

Spec = dict[str, Any]

# The limits of the contract.
MAX_NOTES, MAX_TEXT, MAX_MESSAGE = ranges.MAX_NOTES, 4 << 10, 1 << 20
SMALLEST_NORMAL = sys.float_info.min
UNDECLARED = ("MISSING_REQUIRED_INPUT", "CONFLICTING_INPUTS", "NON_FINITE_RESULT")
UNDECLARED_WARNINGS = ("RESULT_UNDERFLOW", "RESULT_SUBNORMAL")


class Engine:
    """A calculation with its Spec.

    calculate has a parameter for each input of the Spec, in order, and returns an Answer. draw has the id
    of a plot before the same parameters, and returns the document of the drawing. Both can raise a
    Rejection. Any other exception is a fault of the engine, and appears in the log of the server. Several
    threads may call both functions at the same time.
    """

    def __init__(self, spec: Spec, calculate: Callable[..., Answer], draw: Callable[..., dict[str, Any]] | None = None) -> None:
        self.spec, self.calculate, self.draw = spec, calculate, draw
        self.codes = set(UNDECLARED) | set(spec.get("errors", ())) | set(range_codes(spec["inputs"]))
        if bool(spec.get("plots")) != (draw is not None):
            raise ValueError("plots of the Spec and a function that draws them: there are both, or neither")

    def outcome(self, call: Any) -> Any:
        """Return the Outcome of a Call.

        Exceptions become a rejection or a failure in it. A server takes a gRPC error for a broken engine.
        """
        return self._answered(pb.Outcome(id=call.id), call, lambda message, sent: self._fill(message.answer, call, sent, self.calculate(*sent)))

    def drawing(self, request: Any) -> Any:
        """Return the Drawing of a DrawRequest, with exceptions as in outcome."""
        def fill(message: Any, sent: list[Value]) -> None:
            assert self.draw is not None
            figure = self.draw(request.plot, *sent)
            try:
                message.figure = json.dumps(figure, allow_nan=False).encode()
            except ValueError as fault:
                raise Rejection("NON_FINITE_RESULT", "", f"the plot {request.plot} has a number beyond the range of binary64 numbers for these inputs",
                                "Use less extreme inputs.") from fault

        return self._answered(pb.Drawing(id=request.call.id), request.call, fill)

    def _answered(self, message: Any, call: Any, fill: Callable[[Any, list[Value]], None]) -> Any:
        before = logs.REQUEST.set(call.request_id)
        try:
            sent = [from_message(v) for v in call.inputs]
            ranges.check(self.spec["inputs"], sent)
            fill(message, sent)
            if message.ByteSize() > MAX_MESSAGE:
                raise ValueError(f"the answer has {message.ByteSize()} bytes: at most {MAX_MESSAGE}")
        except Rejection as rejection:
            message.Clear()
            message.id = call.id
            try:
                self._reject(message.rejection, rejection)
            except ValueError as fault:
                message.failure = str(fault)
        except Exception as fault:  # of the engine, and logged by the server
            message.Clear()
            message.id = call.id
            message.failure = f"{type(fault).__name__}: {fault}"[:MAX_TEXT // 4]
        finally:
            logs.REQUEST.reset(before)
        return message

    def _fill(self, message: Any, call: Any, sent: list[Value], answer: Answer) -> None:
        inputs = [f["name"] for f in self.spec["inputs"]]
        for name, x in answer.derived.items():
            if sent[inputs.index(name)] is not None:
                raise ValueError(f"{name} was sent, and what was sent is not changed")
            finite(name, x)
        warnings = list(answer.warnings)
        for output, x in zip(self.spec["outputs"], answer.result, strict=True):
            finite(output["name"], x)
            if x is None and output.get("required"):
                raise ValueError(f"{output['name']} is required, and has no value")
            warnings += subnormal(output["name"], x)
            message.result.append(to_message(x))
        for name, x, as_sent in zip(inputs, sent, call.inputs):
            message.inputs.append(to_message(answer.derived[name]) if name in answer.derived else as_sent)
        if answer.formula and answer.formula not in [f["id"] for f in self.spec.get("formulas", ())]:
            raise ValueError(f"{answer.formula!r} is the id of no formula of the Spec")
        message.formula = answer.formula
        few("assumptions", answer.assumptions)
        few("warnings", warnings)
        message.assumptions.extend(short(a) for a in answer.assumptions)
        for w in warnings:
            if w.code not in UNDECLARED_WARNINGS and w.code not in self.spec.get("warnings", ()):
                raise ValueError(f"the warning {w.code} is not declared in the Spec")
            if w.severity not in SEVERITIES:
                raise ValueError(f"{w.severity!r} is not a severity: use {', '.join(SEVERITIES)}")
            message.warnings.add(code=w.code, severity=w.severity, detail=short(w.detail), suggestion=short(w.suggestion))

    def _reject(self, message: Any, rejection: Rejection) -> None:
        if rejection.code not in self.codes:
            raise ValueError(f"the code {rejection.code} is not declared in the Spec")
        message.code, message.field = rejection.code, rejection.field
        message.detail, message.suggestion = short(rejection.detail), short(rejection.suggestion)
        for name, constraint in rejection.invalid[:MAX_NOTES]:
            message.invalid.add(name=name, constraint=short(constraint))

    def serve(self, vectors: bytes) -> None:
        """Answer a server until it ends the process.

        vectors is the JSON document of the reference vectors. If the process was not started by a server,
        it exits with a description.
        """
        if os.environ.get("SLIPSTICK_ENGINE") != "f0c2ce5d-slide-rule":
            sys.exit(f"This is the engine {self.spec['capability_id']} {self.spec['calculation_version']}. A Slipstick server runs it.")
        logs.to_server()
        server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=4), handlers=self._services(vectors))
        address = os.path.join(os.environ["PLUGIN_UNIX_SOCKET_DIR"], "engine")
        if not server.add_insecure_port("unix:" + address):
            sys.exit(f"cannot listen on {address}")
        server.start()
        print(f"1|1|unix|{address}|grpc", flush=True)
        server.wait_for_termination()

    def _services(self, vectors: bytes) -> list[Any]:
        description = pb.DescribeReply(spec=json.dumps(self.spec).encode(), vectors=vectors)

        def unary(call: Callable[[Any], Any], request: Any) -> Any:
            return grpc.unary_unary_rpc_method_handler(lambda message, context: call(message), request.FromString, lambda reply: reply.SerializeToString())

        serving = b"\x08\x01"  # HealthCheckResponse{status: SERVING}
        health = grpc.unary_unary_rpc_method_handler(lambda request, context: serving, lambda b: b, lambda b: b)
        return [
            grpc.method_handlers_generic_handler("slipstick.engine.v1.Engine", {
                "Describe": unary(lambda request: description, pb.DescribeRequest),
                "Calculate": unary(self.outcome, pb.Call),
                "Draw": unary(self.drawing, pb.DrawRequest),
            }),
            grpc.method_handlers_generic_handler("grpc.health.v1.Health", {"Check": health}),
        ]


def range_codes(fields: Sequence[dict[str, Any]]) -> list[str]:
    """Return the codes of the ranges of fields, also inside lists and objects."""
    codes = []
    for f in fields:
        if f.get("range"):
            codes.append(f["range"]["code"])
        codes += range_codes(f.get("fields", ())) + range_codes([f["items"]] if f.get("items") else ())
    return codes


def finite(name: str, x: Value) -> None:
    """Reject a value with a number that is not finite."""
    for item in x if isinstance(x, (list, tuple)) else [x]:
        if isinstance(item, (list, tuple)):
            finite(name, item)
        elif isinstance(item, float) and not math.isfinite(item):
            raise Rejection("NON_FINITE_RESULT", name, f"{name} is beyond the range of binary64 numbers for these inputs",
                            "Use less extreme inputs.")


def subnormal(name: str, x: Value) -> list[Warning]:
    """Return the warnings of the SDK in Go about numbers that have lost digits."""
    if isinstance(x, (list, tuple)):
        return [w for item in x for w in subnormal(name, item)]
    if not isinstance(x, float) or x == 0 or abs(x) >= SMALLEST_NORMAL:
        return []
    return [Warning("RESULT_SUBNORMAL", "warning", f"{name} = {spell(x)} is below the normal range of binary64 numbers and has fewer significant digits.",
                    "Use inputs of larger magnitude if the digits matter.")]


def short(text: str) -> str:
    """Return the text, or raise ValueError if it is too long."""
    if len(text.encode()) > MAX_TEXT:
        raise ValueError(f"a text of {len(text.encode())} bytes: at most {MAX_TEXT}")
    return text


def few(what: str, notes: Sequence[Any]) -> None:
    """Raise ValueError if there are too many notes."""
    if len(notes) > MAX_NOTES:
        raise ValueError(f"{len(notes)} {what}: at most {MAX_NOTES}")


def from_message(value: Any) -> Value:
    """Return a Value of the contract as a value of Python."""
    kind = value.WhichOneof("kind")
    if kind is None:
        return None
    if kind == "exact":
        return Decimal(value.exact)
    if kind == "list":
        return [from_message(v) for v in value.list.values]
    if kind == "record":
        return tuple(from_message(v) for v in value.record.values)
    x: Value = getattr(value, kind)
    return x


def to_message(x: Value) -> Any:
    """Return a value of Python as a Value of the contract."""
    if x is None:
        return pb.Value()
    if isinstance(x, bool):
        return pb.Value(truth=x)
    if isinstance(x, (int, float)):
        return pb.Value(number=x + 0.0)  # negative zero becomes zero
    if isinstance(x, str):
        return pb.Value(text=x)
    if isinstance(x, Decimal):
        return pb.Value(exact=str(x))
    values = pb.Values(values=[to_message(v) for v in x])
    return pb.Value(list=values) if isinstance(x, list) else pb.Value(record=values)
