"""Packs files into a zip file whose bytes depend on nothing but theirs."""
import pathlib
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    for path in map(pathlib.Path, sys.argv[2:]):
        entry = zipfile.ZipInfo(path.name)  # its date is 1980
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, path.read_bytes())
