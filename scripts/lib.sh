# Shared by the scripts: where things are, and the tools they need.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
modules=(versions sdk conformance registry plugins host)

# Go may be installed where no shell looks for it.
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || { echo "Go 1.26 is needed: https://go.dev/doc/install" >&2; exit 1; }
export GOTOOLCHAIN=local GOFLAGS=

# build_slipstick builds the command; the Go build cache makes it quick when nothing changed.
build_slipstick() {
	(cd host && GOWORK=off CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$root/bin/slipstick" ./cmd/slipstick)
}

# build_engines builds every engine of this repository into bin/engines, one file
# per main package, reproducibly: the same source gives the same bytes anywhere.
build_engines() {
	mkdir -p bin/engines
	(cd plugins && GOWORK=off CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags=-s -o "$root/bin/engines/" \
		$(GOWORK=off go list -f '{{if eq .Name "main"}}{{.ImportPath}}{{end}}' ./...))
}
