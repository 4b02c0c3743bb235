# Shared by the scripts: where things are, and the tools they need.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
modules=(versions sdk docs conformance registry plugins host tools)

# Go may be installed where no shell looks for it.
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || { echo "Go 1.26 is needed: https://go.dev/doc/install" >&2; exit 1; }
export GOTOOLCHAIN=local GOFLAGS=

# build_flags are those of all that is compiled here: no paths of this machine; no pages that
# trace gRPC, which nobody serves; no debugging information, which linking leaves out anyway.
build_flags="-trimpath -tags=grpcnotrace -gcflags=all=-dwarf=false"

# host_tags are those of the command, which engines do not have. Arrow gets the JSON of Go, and not
# a package of its own for what is never called here: 4 s to compile, and 1.4 MB. What the command
# shares with engines is compiled once all the same.
host_tags=grpcnotrace,arrow_json_stdlib

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

# go_build builds programs reproducibly: the same source gives the same bytes anywhere. All
# are built with the same flags, so what they share is compiled once. Compilers and linkers
# that collect no memory before they have 512 MB need a fifth less time. The command needs
# the workspace, because its go.mod names released versions. The others are built alone.
go_build() {
	local workspace=off
	[ "${PWD##*/}" != host ] || workspace=${PWD%/*}/go.work
	GOGC=off GOMEMLIMIT=512MiB GOWORK=$workspace CGO_ENABLED=0 GOFLAGS=$build_flags go build -buildvcs=false "$@"
}

# alone prints the name of a go.mod for -modfile. It replaces other modules of this repository by
# their directories.
alone() { # module, directory for the file
	local file=$2/$1.mod required
	cp "$1/go.mod" "$file"
	sed '\|^github.com/slipstick/slipstick/|d' "$1/go.sum" >"${file%.mod}.sum"
	for required in versions sdk docs conformance registry host; do
		[ "$required" = "$1" ] || go mod edit -replace="github.com/slipstick/slipstick/$required=../$required" "$file"
	done
	echo "$file"
}

# licence prints the id of the licence, if the owner has added one.
licence() {
	[ -e "$root/LICENSE" ] || return 0
	(cd "$root/tools" && SOURCE_DATE_EPOCH=0 GOWORK=off CGO_ENABLED=0 GOFLAGS=$build_flags go run -buildvcs=false ./package --root .. --out "${TMPDIR:-/tmp}" --version 0.0.0 --revision none licence)
}

# release_version is the version of what is delivered of this revision: its tag, or else one that
# is below every release and has the date.
release_version() {
	local tag
	tag=$(git describe --exact-match --match 'v[0-9]*' 2>/dev/null || true)
	tag=${tag#v}
	echo "${tag:-0.0.0-$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y%m%d).g$(git describe --always --dirty=.dirty --exclude "*")}"
}

# build_shared compiles what the host and engines share, and beside it makes the assets of pages.
build_shared() {
	scripts/node/assets &
	(cd plugins && go_build github.com/slipstick/slipstick/sdk/wire)
	wait $! || echo "going on without the API reference page" >&2
}

# build_slipstick builds the command with the assets of its pages; the Go build cache
# makes it quick when nothing changed.
build_slipstick() {
	build_shared
	build_host
}

# build_host builds the command with the assets that are there, and the program of text engines.
build_host() {
	local revision
	revision=$(git describe --always --dirty --exclude "*" 2>/dev/null || true)
	(cd host && go_build -tags="$host_tags" -ldflags="-s -X main.revision=$revision -X 'main.licence=$(licence)'" -o "$root/bin/slipstick" ./cmd/slipstick)
	(cd sdk && go_build -ldflags=-s -o "$root/bin/slipstick-text" ./cmd/slipstick-text)
}

# build_engines builds engines of this repository into bin/engines, one file per main package.
build_engines() { # packages
	mkdir -p bin/engines
	(cd plugins && go_build -ldflags=-s -o "$root/bin/engines/" "$@")
}

# documents prints the documents of this repository that have no engine in Go, older versions first.
documents() {
	local document
	for document in plugins/*/*/*/*.calc.md plugins/*/*/*.calc.md; do
		[ -e "${document%.calc.md}/main.go" ] || echo "$document"
	done
}

# build_release builds the program that knows what was released, and from what source.
build_release() { (cd tools && go_build -ldflags=-s -o "$root/bin/release" ./release); }

# build_cluster builds what scripts/soak cluster plays with: the rig, the engine in four
# versions, and slipstick under two revisions.
build_cluster() {
	local cluster=$root/var/cluster n
	mkdir -p "$cluster"
	for n in 1 2 3 4; do
		(cd tools && go_build -ldflags="-s -X main.version=$n.0.0" -o "$cluster/engine-$n.0.0" ./cluster/engine)
	done
	(cd host && go_build -ldflags="-s -X main.revision=one" -o "$cluster/slipstick" ./cmd/slipstick)
	(cd host && go_build -ldflags="-s -X main.revision=next" -o "$cluster/slipstick-next" ./cmd/slipstick)
	(cd tools && go_build -ldflags=-s -o "$cluster/cluster" ./cluster)
}

# build_fuzz builds every package with fuzz targets into var/fuzz, instrumented, one
# program a package.
build_fuzz() {
	local module package
	rm -rf "$root/var/fuzz"
	mkdir -p "$root/var/fuzz"
	for module in "${modules[@]}"; do
		fuzz_targets "$module" | cut -d' ' -f1 | uniq | while read -r package; do
			(cd "$module" && GOGC=400 go test -c -fuzz=Fuzz -o "$(fuzz_program "$module" "$package")" "$package")
		done
	done
}

# fuzz_targets lists the targets of a module: package and name.
fuzz_targets() {
	(cd "$1" && { grep -roE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . || true; } |
		sed -E 's|^(.*)/[^/]*:func (.*)|\1 \2|' | sort)
}

# fuzz_program is where the program of a package is.
fuzz_program() { echo "$root/var/fuzz/$1${2//\//_}"; }

# fuzz runs one fuzz target of a package for FUZZTIME, on one of FUZZERS shares of the
# processors. When the time is over while a worker is busy, Go may say "context deadline
# exceeded" and fail without a failing input (golang/go#75804, mended in Go 1.27): then again.
fuzz() { # module, package, target
	local out program workers=$(($(nproc) / FUZZERS))
	program=$(fuzz_program "$1" "$2")
	for _ in 1 2 3; do
		if out=$(cd "$1/$2" && "$program" -test.run '^$' -test.fuzz "^$3\$" -test.fuzztime "$FUZZTIME" -test.parallel $((workers > 0 ? workers : 1)) \
			-test.fuzzminimizetime 1x -test.fuzzcachedir "$root/var/fuzz/cache/${2//\//_}" 2>&1); then
			echo "$1 $2 $3: $(grep -oE 'execs: [0-9]+' <<<"$out" | tail -n 1)"
			return
		fi
		{ grep -q 'context deadline exceeded' <<<"$out" && ! grep -qE 'Failing input|panic' <<<"$out"; } || break
	done
	echo "$out" >&2
	return 1
}

# fuzz_all runs every fuzz target of the workspace, FUZZERS at a time; build_fuzz comes first.
fuzz_all() {
	export FUZZERS=${FUZZERS:-1} FUZZTIME root
	export -f fuzz fuzz_program
	local module
	for module in "${modules[@]}"; do fuzz_targets "$module" | sed "s|^|$module |"; done |
		xargs -P "$FUZZERS" -L 1 bash -c 'fuzz "$@"' fuzz
}
