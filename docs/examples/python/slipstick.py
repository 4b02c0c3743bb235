"""Serves an engine to a Slipstick host: the contract of docs/contract.md in Python.

An engine is a Spec, vectors and a function from inputs to an Answer. Values are None
(absent), float, str, bool, Decimal (exact), list and tuple (an object's fields in order).
"""
import concurrent.futures
import json
import math
import os
import sys
from dataclasses import dataclass, field
from decimal import Decimal

import grpc

import engine_pb2 as pb


class Rejection(Exception):
    """The caller's fault: a declared code, the input at fault, what is wrong, what to do."""

    def __init__(self, code, field, detail, suggestion=""):
        super().__init__(detail)
        self.message = pb.Rejection(code=code, field=field, detail=detail, suggestion=suggestion)
        if field:
            self.message.invalid.add(name=field, constraint=detail)


@dataclass
class Answer:
    """Result holds one value per output of the Spec, in order."""

    result: list
    formula: str = ""
    assumptions: list = field(default_factory=list)
    warnings: list = field(default_factory=list)  # of (code, severity, detail, suggestion)


def from_value(value):
    kind = value.WhichOneof("kind")
    if kind is None:
        return None
    if kind == "exact":
        return Decimal(value.exact)
    if kind == "list":
        return [from_value(v) for v in value.list.values]
    if kind == "record":
        return tuple(from_value(v) for v in value.record.values)
    return getattr(value, kind)


def to_value(x):
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
    values = pb.Values(values=[to_value(v) for v in x])
    return pb.Value(list=values) if isinstance(x, list) else pb.Value(record=values)


def check_ranges(fields, values):
    """Rejects the first number that is outside of its range, as the Spec declares it.

    Ranges of lists, and those that end at another input, are for calculate to check.
    """
    for f, x in zip(fields, values):
        r = f.get("range")
        if r is None or not isinstance(x, (float, Decimal)):
            continue
        low, high = r.get("minimum", -math.inf), r.get("maximum", math.inf)
        below = x < low or x == low and r.get("minimum_excluded", False)
        above = x > high or x == high and r.get("maximum_excluded", False)
        if below or above:
            raise Rejection(r["code"], f["name"], f"{f['name']} is {x}: it must lie between {low} and {high}",
                            f"Send a {f['name']} between {low} and {high}.")


class Engine:
    """Answers the calls of a host."""

    def __init__(self, spec, vectors, calculate):
        self.spec, self.vectors, self.calculate = spec, vectors, calculate

    def describe(self, request, context):
        return pb.DescribeReply(spec=json.dumps(self.spec).encode(), vectors=self.vectors)

    def compute(self, call, context):
        """An outcome, whatever happens: the host takes a gRPC error for a broken engine."""
        outcome = pb.Outcome(id=call.id)
        try:
            inputs = [from_value(v) for v in call.inputs]
            check_ranges(self.spec["inputs"], inputs)
            answer = self.calculate(*inputs)
            self.fill(outcome.answer, call, answer)
        except Rejection as rejection:
            outcome.rejection.CopyFrom(rejection.message)
        except Exception as failure:  # ours, and logged by the host
            outcome.failure = f"{type(failure).__name__}: {failure}"
        return outcome

    def fill(self, message, call, answer):
        for output, x in zip(self.spec["outputs"], answer.result, strict=True):
            if isinstance(x, float) and not math.isfinite(x):
                raise Rejection("NON_FINITE_RESULT", output["name"], f"{output['name']} is beyond binary64 for these inputs")
            message.result.append(to_value(x))
        message.inputs.extend(call.inputs)  # as they were sent: this engine derives none
        message.formula = answer.formula
        message.assumptions.extend(answer.assumptions)
        for code, severity, detail, suggestion in answer.warnings:
            message.warnings.add(code=code, severity=severity, detail=detail, suggestion=suggestion)

    def services(self):
        def unary(call, request, reply):
            return grpc.unary_unary_rpc_method_handler(call, request.FromString, reply.SerializeToString)

        # Messages of go-plugin's own services, small enough to be written by hand.
        def fixed(reply):
            return grpc.unary_unary_rpc_method_handler(lambda request, context: reply, lambda b: b, lambda b: b)

        serving = b"\x08\x01"  # HealthCheckResponse{status: SERVING}
        return [
            grpc.method_handlers_generic_handler("slipstick.engine.v1.Engine", {
                "Describe": unary(self.describe, pb.DescribeRequest, pb.DescribeReply),
                "Calculate": unary(self.compute, pb.Call, pb.Outcome),
            }),
            grpc.method_handlers_generic_handler("grpc.health.v1.Health", {"Check": fixed(serving)}),
        ]


def serve(spec, vectors, calculate):
    """Runs the engine until the host ends the process."""
    if os.environ.get("SLIPSTICK_ENGINE") != "f0c2ce5d-slide-rule":
        sys.exit(f"This is the engine {spec['capability_id']} {spec['calculation_version']}. A Slipstick host runs it.")
    engine = Engine(spec, vectors, calculate)
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=4), handlers=engine.services())
    address = os.path.join(os.environ["PLUGIN_UNIX_SOCKET_DIR"], "engine")
    if not server.add_insecure_port("unix:" + address):
        sys.exit(f"cannot listen on {address}")
    server.start()
    print(f"1|1|unix|{address}|grpc", flush=True)
    server.wait_for_termination()
