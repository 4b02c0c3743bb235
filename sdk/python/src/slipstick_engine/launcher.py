"""Makes the program at the start of an engine in Python: an ELF file that loads Python as a library.

It does the same as a program in C that calls Py_BytesMain with the arguments python3 -I -B /proc/self/exe,
and exits with the result. It needs no compiler.

A zip file with the engine follows the program, and Python runs it from there. An engine in a sandbox
cannot start a second program, so the interpreter is a library.
"""
import struct
import sysconfig

ARGUMENTS = (b"/usr/bin/python3", b"-I", b"-B", b"/proc/self/exe")  # -I: without the environment and the user's packages
INTERPRETER = b"/lib64/ld-linux-x86-64.so.2"
BASE, PAGE = 0x400000, 0x1000
WRITTEN = ("dynamic", "got")  # the dynamic linker writes to these parts, in a page of their own

# Tags and types for the dynamic linker, by the names of the ELF specification and its supplement for AMD64.
DT_NULL, DT_NEEDED, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_RELASZ, DT_RELAENT, DT_STRSZ, DT_SYMENT, DT_BIND_NOW = 0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 24
R_X86_64_GLOB_DAT = 6
SEGMENTS = 5


def library() -> str:
    """Return the file name of this Python as a library, such as libpython3.11.so.1.0."""
    name = sysconfig.get_config_var("INSTSONAME")
    if not name or ".so" not in name:
        raise SystemExit("slipstick_engine: this Python is not built as a library. Build with the system's, /usr/bin/python3, "
                         "whose library is the package libpython3.11 of Debian 12.")
    return str(name)


def launcher() -> bytes:
    """Return the bytes of the program, for Linux on amd64."""
    strings = b"\0"

    def name(text: bytes) -> int:
        nonlocal strings
        strings += text + b"\0"
        return len(strings) - 1 - len(text)

    needed = [name(library().encode()), name(b"libc.so.6")]
    imported = [name(b"Py_BytesMain"), name(b"exit")]
    symbols = bytes(24) + b"".join(struct.pack("<IBBHQQ", at, 0x12, 0, 0, 0, 0) for at in imported)  # global functions
    # One bucket, which leads to the first symbol, and from there to the second.
    hashes = struct.pack("<5I", 1, 3, 1, 0, 2) + struct.pack("<I", 0)

    header, segment = 64, 56
    at = header + SEGMENTS * segment
    parts: dict[str, int] = {}
    layout: list[tuple[str, int]] = [
        ("interp", len(INTERPRETER) + 1), ("hash", len(hashes)), ("symbols", len(symbols)), ("strings", len(strings)),
        ("rela", 48), ("argv", 8 * (len(ARGUMENTS) + 1)), ("texts", sum(len(a) + 1 for a in ARGUMENTS)), ("code", 64),
        ("dynamic", 16 * 12), ("got", 16),
    ]
    for part, size in layout:
        at = (at + 15) & ~15
        parts[part], at = at, at + size
    size = at

    def address(part: str) -> int:
        return BASE + parts[part] + (PAGE if part in WRITTEN else 0)

    code = b"\x48\x83\xe4\xf0"  # and rsp, -16
    code += b"\xbf" + struct.pack("<I", len(ARGUMENTS))  # mov edi, 4

    def relative(op: bytes, to: int) -> bytes:
        """Return an instruction with an address relative to its end."""
        return op + struct.pack("<i", to - (address("code") + len(code) + len(op) + 4))

    code += relative(b"\x48\x8d\x35", address("argv"))  # lea rsi, argv
    code += relative(b"\xff\x15", address("got"))  # call Py_BytesMain
    code += b"\x89\xc7"  # mov edi, eax
    code += relative(b"\xff\x15", address("got") + 8)  # call exit

    texts, argv = b"", b""
    for argument in ARGUMENTS:
        argv += struct.pack("<Q", address("texts") + len(texts))
        texts += argument + b"\0"
    rela = b"".join(struct.pack("<QQq", address("got") + 8 * i, (i + 1) << 32 | R_X86_64_GLOB_DAT, 0) for i in range(2))
    dynamic = b"".join(struct.pack("<QQ", tag, value) for tag, value in [
        (DT_NEEDED, needed[0]), (DT_NEEDED, needed[1]), (DT_HASH, address("hash")), (DT_STRTAB, address("strings")),
        (DT_SYMTAB, address("symbols")), (DT_STRSZ, len(strings)), (DT_SYMENT, 24), (DT_RELA, address("rela")),
        (DT_RELASZ, len(rela)), (DT_RELAENT, 24), (DT_BIND_NOW, 0), (DT_NULL, 0),
    ])
    contents = {
        "interp": INTERPRETER + b"\0", "hash": hashes, "symbols": symbols, "strings": strings, "rela": rela, "dynamic": dynamic,
        "got": bytes(16), "argv": argv + bytes(8), "texts": texts, "code": code,
    }

    def program(kind: int, flags: int, start: int, length: int, align: int, offset: int = 0) -> bytes:
        at = BASE + offset + start
        return struct.pack("<IIQQQQQQ", kind, flags, start, at, at, length, length, align)

    written = parts[WRITTEN[0]]

    image = bytearray(size)
    image[:header] = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 2, 62, 1, address("code"), header, 0, 0, header, segment, SEGMENTS, 0, 0, 0)
    image[header:header + SEGMENTS * segment] = b"".join([
        program(3, 4, parts["interp"], len(INTERPRETER) + 1, 1),  # the dynamic linker
        program(1, 5, 0, written, PAGE),  # read and executed
        program(1, 6, written, size - written, PAGE, PAGE),  # read and written
        program(2, 6, written, len(dynamic), 8, PAGE),
        program(0x6474e551, 6, 0, 0, 16),  # a stack that is not executable
    ])
    for part, content in contents.items():
        image[parts[part]:parts[part] + len(content)] = content
    return bytes(image)
