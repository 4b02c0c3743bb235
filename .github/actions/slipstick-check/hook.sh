#!/usr/bin/env bash
# Runs a command of Slipstick for pre-commit: hook.sh COMMAND FILE... . The program is SLIPSTICK, or else a release, which
# is downloaded once.
set -euo pipefail
slipstick=${SLIPSTICK:-$("$(dirname "${BASH_SOURCE[0]}")/download.sh")}
exec "$slipstick" "$@"
