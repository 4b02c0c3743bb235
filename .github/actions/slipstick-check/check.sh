#!/usr/bin/env bash
# Checks engines for the action, and exits with the exit code of slipstick check.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

slipstick=${SLIPSTICK:-$("$here/download.sh")}

reports=${REPORTS:-conformance}
mkdir -p "$reports"
args=(--report "$reports/conformance.json" --junit "$reports/conformance.xml" --badge "$reports/badge.json" --output "$reports/conformance.txt")
[ -z "${REQUIREMENTS:-}" ] || args+=(--requirements "$REQUIREMENTS")
[ -z "${EXPECTED_FAILURES:-}" ] || args+=(--expected-failures "$EXPECTED_FAILURES")
[ -z "${JAIL:-}" ] || { echo "the input jail is now sandbox" >&2; exit 2; }
[ "${SANDBOX:-true}" = true ] || args+=(--no-sandbox)
read -r -d '' -a engines <<<"${ENGINES:?name the engines}" || true

# changed prints the documents that changed since the revision, or have a changed file of vectors.
changed() { # document or directory
	local file vectors
	git rev-parse --verify --quiet "$SINCE^{commit}" >/dev/null || { echo "the revision $SINCE is missing: fetch it, with fetch-depth: 0" >&2; return 2; }
	find "$1" -name '*.calc.md' -not -path '*/.*' | LC_ALL=C sort | while read -r file; do
		vectors=$(sed -n 's/^- vectors: *//p' "$file" | head -n 1)
		git diff --quiet "$SINCE" -- "$file" ${vectors:+"$(dirname "$file")/$vectors"} && git ls-files --error-unmatch "$file" >/dev/null 2>&1 || echo "$file"
	done
}
if [ -n "${SINCE:-}" ]; then
	all=("${engines[@]}") engines=()
	for engine in "${all[@]}"; do
		if [ -d "$engine" ] && [ ! -e "$engine/go.mod" ] || [[ $engine == *.calc.md ]]; then
			list=$(changed "$engine")
			[ -z "$list" ] || mapfile -t -O "${#engines[@]}" engines <<<"$list"
		else
			engines+=("$engine")
		fi
	done
	if [ ${#engines[@]} -eq 0 ]; then
		echo "no document changed since $SINCE" | tee "$reports/conformance.txt"
		echo "outcome=pass" >>"${GITHUB_OUTPUT:-/dev/null}"
		exit 0
	fi
fi

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
