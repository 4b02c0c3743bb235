# Shared by the scripts: where things are, and the tools they need.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
modules=(versions sdk conformance registry plugins host)

# Go may be installed where no shell looks for it.
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || { echo "Go 1.26 is needed: https://go.dev/doc/install" >&2; exit 1; }
export GOTOOLCHAIN=local GOFLAGS=

# need installs Debian packages that are not there.
need() {
	local package missing=()
	for package in "$@"; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
	done
	[ ${#missing[@]} -eq 0 ] && return
	echo "installing ${missing[*]}" >&2
	apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qqy "${missing[@]}" >/dev/null
}

# build_slipstick builds the command with the assets of its pages; the Go build cache
# makes it quick when nothing changed.
build_slipstick() {
	scripts/node/assets || echo "going on without the API reference page" >&2
	(cd host && GOWORK=off CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags=-s -o "$root/bin/slipstick" ./cmd/slipstick)
}

# build_engines builds every engine of this repository into bin/engines, one file
# per main package, reproducibly: the same source gives the same bytes anywhere.
build_engines() {
	mkdir -p bin/engines
	(cd plugins && GOWORK=off CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags=-s -o "$root/bin/engines/" \
		$(GOWORK=off go list -f '{{if eq .Name "main"}}{{.ImportPath}}{{end}}' ./...))
}

# fuzz runs one fuzz target of a package for FUZZTIME. When the time is over while a worker is
# busy, Go may say "context deadline exceeded" and fail without a failing input
# (golang/go#75804, mended in Go 1.27): then again.
fuzz() {
	local out
	for _ in 1 2 3; do
		if out=$(go test -run '^$' -fuzz "^$2\$" -fuzztime "$FUZZTIME" -fuzzminimizetime 1x "$1" 2>&1); then
			echo "$module $1 $2: $(grep -oE 'execs: [0-9]+' <<<"$out" | tail -n 1)"
			return
		fi
		{ grep -q 'context deadline exceeded' <<<"$out" && ! grep -qE 'Failing input|panic' <<<"$out"; } || break
	done
	echo "$out" >&2
	return 1
}

# fuzz_all runs every fuzz target of the workspace.
fuzz_all() {
	local module package target
	for module in "${modules[@]}"; do
		(cd "$module" && { grep -roE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . || true; } |
			sed -E 's|^(.*)/[^/]*:func (.*)|\1 \2|' | sort |
			while read -r package target; do fuzz "$package" "$target"; done)
	done
}
