"""Tests of the package. They need gRPC and protobuf of the system: /usr/bin/python3 -m unittest discover -s tests."""
import json
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal

HERE = pathlib.Path(__file__).parent
from google.protobuf import descriptor_pb2

sys.path.insert(0, str(HERE.parent / "src"))

from slipstick_engine import Answer, Engine, Rejection, Warning  # noqa: E402
from slipstick_engine import engine_pb2 as pb  # noqa: E402
from slipstick_engine import logs  # noqa: E402
from slipstick_engine.build import build  # noqa: E402
from slipstick_engine.engine import to_message  # noqa: E402

SPEC = {
    "capability_id": "test.package.any", "calculation_version": "1.0.0",
    "inputs": [{"name": "x", "type": "number"}, {"name": "y", "type": "number"}],
    "outputs": [{"name": "z", "type": "number", "required": True}],
    "formulas": [{"id": "z_v1"}], "errors": ["TOO_ODD"], "warnings": ["DIM"],
}


def value(x):
    """A value as sdk/testdata has it."""
    if isinstance(x, dict):
        return Decimal(x["exact"]) if "exact" in x else tuple(value(v) for v in x["record"])
    return [value(v) for v in x] if isinstance(x, list) else x


def call(*sent):
    return pb.Call(id=7, inputs=[to_message(x) for x in sent])


class Ranges(unittest.TestCase):
    def test_rejects_as_the_sdk_does(self):
        shared = json.loads((HERE / "../../testdata/ranges.json").read_text())
        engine = Engine(shared["spec"], lambda *inputs: Answer([1.0]))
        for case in shared["cases"]:
            outcome = engine.outcome(call(*value(case["sent"])))
            want = case["rejection"]
            if want is None:
                self.assertEqual(outcome.WhichOneof("outcome"), "answer", case["sent"])
                continue
            got = outcome.rejection
            self.assertEqual((got.code, got.field, got.detail, got.suggestion), (want["Code"], want["Field"], want["Detail"], want["Suggestion"]))
            self.assertEqual([(i.name, i.constraint) for i in got.invalid], [(i["Name"], i["Constraint"]) for i in want["Invalid"]])


class Outcomes(unittest.TestCase):
    def outcome(self, answer, *sent):
        def calculate(x, y):
            if isinstance(answer, Exception):
                raise answer
            return answer

        return Engine(SPEC, calculate).outcome(call(*(sent or (1.0, None))))

    def test_answer(self):
        o = self.outcome(Answer([-0.0], "z_v1", ["Round."], [Warning("DIM", "info", "Dim.")], {"y": 3.0}))
        self.assertEqual((o.id, str(o.answer.result[0].number), o.answer.formula), (7, "0.0", "z_v1"))
        self.assertEqual([v.number for v in o.answer.inputs], [1.0, 3.0])
        self.assertEqual((o.answer.assumptions[0], o.answer.warnings[0].severity), ("Round.", "info"))

    def test_rejection(self):
        self.assertEqual(self.outcome(Rejection("TOO_ODD", "x", "x is odd")).rejection.invalid[0].constraint, "x is odd")
        for x in (float("nan"), float("inf")):
            self.assertEqual(self.outcome(Answer([x])).rejection.code, "NON_FINITE_RESULT")
        self.assertEqual(self.outcome(Answer([1.0], derived={"y": float("inf")})).rejection.field, "y")

    def test_subnormal(self):
        self.assertEqual(self.outcome(Answer([5e-324])).answer.warnings[0].code, "RESULT_SUBNORMAL")

    def test_faults_are_reported(self):
        for answer, told in [
            (Answer([]), "zip()"), (Answer([None]), "z is required"), (Answer([1.0], "y_v1"), "no formula"),
            (Answer([1.0], assumptions=["a"] * 33), "33 assumptions: at most 32"), (Answer([1.0], warnings=[Warning("DIM", "info", "a")] * 33), "33 warnings"),
            (Answer([1.0], assumptions=["ä" * 2049]), "4098 bytes: at most 4096"), (Answer([1.0], warnings=[Warning("DARK", "info", "")]), "DARK is not declared"),
            (Answer([1.0], warnings=[Warning("DIM", "caution", "")]), "use info, warning, critical"), (Answer([1.0], derived={"x": 2.0}), "x was sent"),
            (Rejection("ODD", "x", ""), "ODD is not declared"), (ZeroDivisionError("by zero"), "by zero"),
        ]:
            self.assertIn(told, self.outcome(answer).failure)

    def test_size(self):
        spec = dict(SPEC, outputs=[{"name": "z", "type": "array", "items": {"type": "number"}}])
        o = Engine(spec, lambda x, y: Answer([[1.0] * 200_000])).outcome(call(1.0, 2.0))
        self.assertIn("at most 1048576", o.failure)

    def test_drawing(self):
        spec = dict(SPEC, plots=[{"id": "p"}])
        engine = Engine(spec, lambda x, y: Answer([1.0]), lambda plot, x, y: {"curves": [{"label": plot, "x": [x], "y": [y]}]})
        request = pb.DrawRequest(plot="p", call=call(1.0, 2.0))
        self.assertEqual(json.loads(engine.drawing(request).figure), {"curves": [{"label": "p", "x": [1], "y": [2]}]})
        request.call.inputs[1].number = float("inf")
        self.assertEqual(engine.drawing(request).rejection.code, "NON_FINITE_RESULT")
        with self.assertRaises(ValueError):
            Engine(spec, lambda x, y: Answer([1.0]))


class Logs(unittest.TestCase):
    def line(self, level, *args, request="", **more):
        record = logging.getLogger("bolts").makeRecord("bolts", level, __file__, 1, *args, **more)
        before = logs.REQUEST.set(request)
        try:
            return json.loads(logs.Line().format(record))
        finally:
            logs.REQUEST.reset(before)

    def test_line(self):
        self.assertEqual(self.line(logging.WARNING, "no convergence in %d\nsteps", (40,), None, request="id-1"),
                         {"@level": "warn", "@module": "bolts", "request_id": "id-1", "@message": "no convergence in 40\nsteps"})
        for level, name in ((logging.DEBUG, "debug"), (logging.INFO, "info"), (25, "info"), (logging.CRITICAL, "error"), (0, "trace")):
            self.assertEqual(self.line(level, "m", (), None), {"@level": name, "@module": "bolts", "@message": "m"})

    def test_exception(self):
        try:
            raise ValueError("too thin")
        except ValueError:
            self.assertIn("ValueError: too thin", self.line(logging.ERROR, "m", (), sys.exc_info())["error"])

    def test_a_call_has_its_request(self):
        seen = []
        engine = Engine(SPEC, lambda x, y: seen.append(logs.REQUEST.get()) or Answer([1.0]))
        request = call(1.0, 2.0)
        request.request_id = "id-2"
        engine.outcome(request)
        engine.outcome(call(1.0, 2.0))
        self.assertEqual((seen, logs.REQUEST.get()), (["id-2", ""], ""))


class Contract(unittest.TestCase):
    def test_messages_match_the_contract(self):
        with tempfile.TemporaryDirectory() as work:
            made = pathlib.Path(work) / "set"
            subprocess.run(["protoc", "-I", HERE / "../../../sdk/wire/contract", "-o", made, "engine.proto"], check=True)
            [contract] = descriptor_pb2.FileDescriptorSet.FromString(made.read_bytes()).file
            for message in contract.message_type:
                for field in message.field:
                    field.ClearField("json_name")  # Python has none
            self.assertEqual(descriptor_pb2.FileDescriptorProto.FromString(pb.DESCRIPTOR.serialized_pb), contract)


class Build(unittest.TestCase):
    def test_engine_is_one_file(self):
        with tempfile.TemporaryDirectory() as work:
            source = pathlib.Path(work)
            (source / "engine.py").write_text("from slipstick_engine import Answer, Engine\nENGINE = Engine(%r, lambda x, y: Answer([x]))\n" % SPEC)
            (source / "vectors.json").write_text("[]")
            first, again = source / "one", source / "two"
            build(source, first)
            build(source, again)
            self.assertEqual(first.read_bytes(), again.read_bytes())
            started = subprocess.run([first, "engine"], stderr=subprocess.PIPE, env={k: v for k, v in os.environ.items() if k != "SLIPSTICK_ENGINE"})
            self.assertEqual((started.returncode, started.stderr), (1, b"This is the engine test.package.any 1.0.0. A Slipstick server runs it.\n"))

    def test_missing_file_is_reported(self):
        with tempfile.TemporaryDirectory() as work:
            for name in ("engine.py", "vectors.json"):
                with self.assertRaisesRegex(SystemExit, name):
                    build(pathlib.Path(work), pathlib.Path(work) / "engine")
                (pathlib.Path(work) / name).write_text("")


if __name__ == "__main__":
    unittest.main()
