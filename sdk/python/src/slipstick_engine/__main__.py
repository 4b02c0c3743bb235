"""The command slipstick-engine."""
import argparse
import os
import pathlib
import sys

SYSTEM = "/usr/bin/python3"


def main() -> None:
    # The library of Python and its gRPC are the system's, whatever Python is first on the path.
    if os.path.realpath(sys.executable) != os.path.realpath(SYSTEM) and os.path.exists(SYSTEM):
        here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        os.execve(SYSTEM, [SYSTEM, "-m", "slipstick_engine", *sys.argv[1:]], {**os.environ, "PYTHONPATH": here})
    parser = argparse.ArgumentParser(prog="slipstick-engine", description="Makes one executable of an engine in Python.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("build", help="make the executable")
    command.add_argument("source", nargs="?", default=".", type=pathlib.Path, help="directory with engine.py and vectors.json (default: this one)")
    command.add_argument("--output", "-o", type=pathlib.Path, help="file to write (default: the name of the directory, in it)")
    options = parser.parse_args()
    source = options.source.resolve()
    from .build import build  # which needs what the system's Python has

    build(source, options.output or source / source.name)


if __name__ == "__main__":
    main()
