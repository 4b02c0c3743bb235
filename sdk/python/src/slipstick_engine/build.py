"""Makes one executable file of the source of an engine."""
from __future__ import annotations

import io
import os
import pathlib
import platform
import zipfile

from .launcher import launcher

MAIN = """import pkgutil
from engine import ENGINE
ENGINE.serve(pkgutil.get_data("engine", "vectors.json"))
"""


def build(source: pathlib.Path, output: pathlib.Path) -> None:
    """Write the executable of the engine in the directory source.

    Its module engine must define ENGINE, and vectors.json must be next to it. The same files and the same
    Python give the same bytes.
    """
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise SystemExit("slipstick-engine: engines in Python are built on Linux, amd64, and run there")
    files = {p.name: p.read_bytes() for p in source.glob("*.py") if not p.name.startswith("test_")}
    if "engine.py" not in files:
        raise SystemExit(f"slipstick-engine: {source} has no engine.py: it defines ENGINE")
    try:
        files["vectors.json"] = (source / "vectors.json").read_bytes()
    except FileNotFoundError:
        raise SystemExit(f"slipstick-engine: {source} has no vectors.json") from None
    files["__main__.py"] = MAIN.encode()
    here = pathlib.Path(__file__).parent
    for p in here.glob("*.py"):
        if p.name not in ("__main__.py", "build.py", "launcher.py"):
            files["slipstick_engine/" + p.name] = p.read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name)  # its date is 1980
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name])
    made = output.with_name(output.name + ".new")
    made.write_bytes(launcher() + packed.getvalue())
    made.chmod(0o755)
    os.replace(made, output)
