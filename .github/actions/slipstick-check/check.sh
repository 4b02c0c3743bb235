#!/usr/bin/env bash
# What the action does. The exit code is that of slipstick check.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

slipstick=${SLIPSTICK:-}
if [ -z "$slipstick" ]; then
	slipstick=${RUNNER_TEMP:-/tmp}/slipstick
	(cd "$here/../../../host" && GOWORK=off CGO_ENABLED=0 go build -o "$slipstick" ./cmd/slipstick)
fi

reports=${REPORTS:-conformance}
mkdir -p "$reports"
args=(--report "$reports/conformance.json" --junit "$reports/conformance.xml" --badge "$reports/badge.json" --output "$reports/conformance.txt")
[ -z "${REQUIREMENTS:-}" ] || args+=(--requirements "$REQUIREMENTS")
[ -z "${EXPECTED_FAILURES:-}" ] || args+=(--expected-failures "$EXPECTED_FAILURES")
[ -z "${JAIL:-}" ] || { echo "the input jail is now sandbox" >&2; exit 2; }
[ "${SANDBOX:-true}" = true ] || args+=(--no-sandbox)
read -r -d '' -a engines <<<"${ENGINES:?name the engines}" || true

code=0
"$slipstick" check "${args[@]}" "${engines[@]}" || code=$?
[ ! -f "$reports/conformance.txt" ] || cat "$reports/conformance.txt"

case $code in
0) outcome=pass ;;
1) outcome=fail ;;
*) outcome=harness_error ;;
esac
echo "outcome=$outcome" >>"${GITHUB_OUTPUT:-/dev/null}"
{
	echo "### Slipstick: $outcome"
	echo '```'
	[ ! -f "$reports/conformance.txt" ] || cat "$reports/conformance.txt"
	echo '```'
} >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
exit $code
