"""Computes the results of capabilities a second time, to compare them with the documents and their vectors.

Usage: oracle.py < requests > answers

Each line of the standard input is a request in JSON: capability, version, evaluation (decimal or binary64) and inputs, in
the units of SI. Each line of the standard output is the answer: the outputs that are numbers, as decimals of the nearest binary64.
"""
import json
import sys

sys.dont_write_bytecode = True

import acoustics
import beams
import electrical
import finance
import fluids
import machines
import mechanical
import quantities
import samples
import structural
import thermo
import units

for line in sys.stdin:
    request = json.loads(line, parse_float=quantities.Literal, parse_int=quantities.Literal)
    try:
        print(json.dumps(quantities.answer(request)))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        print(json.dumps({"error": repr(error)}))
