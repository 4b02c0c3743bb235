#!/usr/bin/env bash
# Runs a slipstick command for pre-commit: hook.sh COMMAND FILE... . The program is SLIPSTICK. Without it, the script
# downloads a release, once.
set -euo pipefail
slipstick=${SLIPSTICK:-$("$(dirname "${BASH_SOURCE[0]}")/download.sh")}
exec "$slipstick" "$@"
