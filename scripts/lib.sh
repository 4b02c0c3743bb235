# Shared by the scripts: paths, builds, and the tools that they need.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
modules=(versions sdk docs conformance registry plugins host tools)

# Go may be installed outside of PATH.
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || { echo "Go 1.26 is needed: https://go.dev/doc/install" >&2; exit 1; }
export GOTOOLCHAIN=local GOFLAGS=

# build_flags are the flags of all builds. They leave out paths of this machine, the trace pages of
# gRPC, which are not served, and debug information, which the linker removes anyway.
build_flags="-trimpath -tags=grpcnotrace -gcflags=all=-dwarf=false"

# host_tags are the build tags of the command, which engines do not have. Arrow then uses the JSON
# package of Go. Its own one takes 4 s to compile and 1.4 MB, and is never called here. Packages that
# the command shares with engines are still compiled only once.
host_tags=grpcnotrace,arrow_json_stdlib

# need installs missing Debian packages.
need() {
	local package missing=()
	for package in "$@"; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
	done
	[ ${#missing[@]} -eq 0 ] && return
	echo "installing ${missing[*]}" >&2
	apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qqy "${missing[@]}" >/dev/null
}

# go_build builds programs reproducibly: the same source gives the same bytes on every machine. All
# builds have the same flags, so shared packages are compiled once. Without garbage collection up to
# 512 MB, compilers and linkers need a fifth less time. The command needs the workspace, because its
# go.mod names released versions. The other programs are built alone.
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

# licence prints the id of the licence, if there is one.
licence() {
	[ -e "$root/LICENSE" ] || return 0
	(cd "$root/tools" && SOURCE_DATE_EPOCH=0 GOWORK=off CGO_ENABLED=0 GOFLAGS=$build_flags go run -buildvcs=false ./package --root .. --out "${TMPDIR:-/tmp}" --version 0.0.0 --revision none licence)
}

# release_version prints the version of this revision: its tag, or a version with the date, which is
# older than every release.
release_version() {
	local tag
	tag=$(git describe --exact-match --match 'v[0-9]*' 2>/dev/null || true)
	tag=${tag#v}
	echo "${tag:-0.0.0-$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y%m%d).g$(git describe --always --dirty=.dirty --exclude "*")}"
}

# build_shared compiles the packages that the server and engines share. At the same time it makes the
# assets of pages.
build_shared() {
	scripts/node/assets &
	(cd plugins && go_build github.com/slipstick/slipstick/sdk/wire)
	wait $! || echo "continuing without the API reference page" >&2
}

# build_slipstick builds the command with the assets of its pages. With the Go build cache it is quick
# if nothing changed.
build_slipstick() {
	build_shared
	build_host
}

# build_host builds the command with the present assets, and the program of text engines.
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

# documents prints the documents of this repository without a Go engine, older versions first.
documents() {
	local document
	for document in plugins/*/*/*/*.calc.md plugins/*/*/*.calc.md; do
		[ -e "${document%.calc.md}/main.go" ] || echo "$document"
	done
}

# build_release builds the program that manages releases and their sources.
build_release() { (cd tools && go_build -ldflags=-s -o "$root/bin/release" ./release); }

# build_cluster builds the programs for scripts/soak cluster: the test rig, four versions of an
# engine, and slipstick with two revisions.
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

# build_fuzz builds one instrumented program into var/fuzz for each package with fuzz targets.
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

# fuzz_targets lists the fuzz targets of a module: package and name.
fuzz_targets() {
	(cd "$1" && { grep -roE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . || true; } |
		sed -E 's|^(.*)/[^/]*:func (.*)|\1 \2|' | sort)
}

# fuzz_program prints the path of the program of a package.
fuzz_program() { echo "$root/var/fuzz/$1${2//\//_}"; }

# fuzz runs one fuzz target of a package for FUZZTIME, on one of FUZZERS shares of the processors. If
# the time ends while a worker is busy, Go can fail with "context deadline exceeded" without a failing
# input. The target then runs again. Go 1.27 fixes this (golang/go#75804). If the known inputs take all
# the time, the target has four times as much once. A machine that is too busy for that has tested the
# known inputs only.
fuzz() { # module, package, target
	local out program workers=$(($(nproc) / FUZZERS)) time=$FUZZTIME
	program=$(fuzz_program "$1" "$2")
	for _ in 1 2 3; do
		if out=$(cd "$1/$2" && "$program" -test.run '^$' -test.fuzz "^$3\$" -test.fuzztime "$time" -test.parallel $((workers > 0 ? workers : 1)) \
			-test.fuzzminimizetime 1x -test.fuzzcachedir "$root/var/fuzz/cache/${2//\//_}" 2>&1); then
			if ! grep -q 'execs: [1-9]' <<<"$out" && [ "$time" = "$FUZZTIME" ]; then
				time=$((${FUZZTIME%?} * 4))${FUZZTIME: -1}
				continue
			fi
			echo "$1 $2 $3: $(grep -oE 'execs: [0-9]+' <<<"$out" | tail -n 1 || echo "known inputs only")"
			return
		fi
		{ grep -q 'context deadline exceeded' <<<"$out" && ! grep -qE 'Failing input|panic' <<<"$out"; } || break
	done
	echo "$out" >&2
	return 1
}

# fuzz_all runs every fuzz target of the workspace, FUZZERS at a time. Call build_fuzz before it.
fuzz_all() {
	export FUZZERS=${FUZZERS:-1} FUZZTIME root
	export -f fuzz fuzz_program
	local module
	for module in "${modules[@]}"; do fuzz_targets "$module" | sed "s|^|$module |"; done |
		xargs -P "$FUZZERS" -L 1 bash -o pipefail -c 'fuzz "$@"' fuzz
}
