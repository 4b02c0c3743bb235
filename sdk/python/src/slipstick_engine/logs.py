"""Writes the lines of Python's logging to the log of the server."""
from __future__ import annotations

import contextvars
import json
import logging
import os
import sys

# The id of the request that the present call belongs to, "" for none.
REQUEST: contextvars.ContextVar[str] = contextvars.ContextVar("request", default="")

# The levels that a server asks for. Lines below the level of the server are not written.
LEVELS = {"trace": 1, "debug": logging.DEBUG, "info": logging.INFO, "warn": logging.WARNING, "error": logging.ERROR, "off": logging.CRITICAL + 1}


class Line(logging.Formatter):
    """Formats a record as a line of JSON, as hclog writes it."""

    def format(self, record: logging.LogRecord) -> str:
        names = [name for name, least in LEVELS.items() if name != "off" and least <= record.levelno]
        line = {"@level": names[-1] if names else "trace", "@module": record.name}
        if REQUEST.get():
            line["request_id"] = REQUEST.get()
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        line["@message"] = record.getMessage()  # last, because a server shortens a line that is too long
        return json.dumps(line)


def to_server() -> None:
    """Write the lines of all loggers for the server, from the level that it asks for."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Line())
    logging.basicConfig(handlers=[handler], level=LEVELS.get(os.environ.get("SLIPSTICK_LOG_LEVEL", ""), logging.WARNING), force=True)
