#!/usr/bin/env bash
# Downloads a release of Slipstick, checks its checksum, and prints the path of the program.
#
#   VERSION    the release, such as 1.4.0. Default: the tag of the action or of this repository
#   DOWNLOADS  URL of the releases. Default: the releases on GitHub
#   CACHE      directory for downloaded releases
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

cache=${CACHE:-${RUNNER_TEMP:-${XDG_CACHE_HOME:-$HOME/.cache}/slipstick}}

# tagged prints the tag of this repository, which pre-commit clones without its tags. It asks the origin once.
tagged() {
	local commit tag
	commit=$(git -C "$here" rev-parse HEAD 2>/dev/null) || return 0
	if [ ! -s "$cache/$commit" ]; then
		tag=$(git -C "$here" ls-remote --tags origin 'v*' | sed -nE "s|^$commit\trefs/tags/(v[^^]*).*|\1|p" | head -n 1)
		mkdir -p "$cache"
		[ -z "$tag" ] || echo "$tag" >"$cache/$commit"
	fi
	cat "$cache/$commit" 2>/dev/null || true
}
version=${VERSION:-${ACTION_REF:-$(tagged)}}
version=${version#v}
if ! [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
	echo "name a release of Slipstick, such as 1.4.0, with the input version or the variable VERSION; \"$version\" is none" >&2
	exit 2
fi
case $(uname -s) in
Linux) system=linux ;;
Darwin) system=darwin ;;
MINGW* | MSYS* | CYGWIN*) system=windows ;;
*) echo "there is no release of Slipstick for $(uname -s)" >&2; exit 2 ;;
esac
case $(uname -m) in
x86_64 | amd64) machine=amd64 ;;
aarch64 | arm64) machine=arm64 ;;
*) echo "there is no release of Slipstick for $(uname -m)" >&2; exit 2 ;;
esac
name=slipstick-$version-$system-$machine
archive=$name.tar.gz program=slipstick
[ $system != windows ] || { archive=$name.zip program=slipstick.exe; }
if [ ! -e "$cache/$name/$program" ]; then
	from=${DOWNLOADS:-https://github.com/slipstick/slipstick/releases/download}/v$version
	mkdir -p "$cache"
	scratch=$(mktemp -d "$cache/.$name-XXXXXX")
	trap 'rm -rf "$scratch"' EXIT
	for file in "$archive" SHA256SUMS; do
		curl --fail --silent --show-error --location --retry 3 --output "$scratch/$file" "$from/$file" ||
			{ echo "$from/$file cannot be downloaded: is there a release $version?" >&2; exit 3; }
	done
	grep -q "  $archive\$" "$scratch/SHA256SUMS" || { echo "SHA256SUMS of the release does not have $archive" >&2; exit 3; }
	(cd "$scratch" && grep "  $archive\$" SHA256SUMS | { if command -v sha256sum >/dev/null; then sha256sum --check --quiet -; else shasum -a 256 --check --quiet -; fi; }) >&2 ||
		{ echo "$archive is not the file of the release: its checksum differs" >&2; exit 3; }
	if [ $system = windows ]; then unzip -q "$scratch/$archive" -d "$scratch"; else tar xzf "$scratch/$archive" -C "$scratch"; fi
	mv "$scratch/$name" "$cache/$name" 2>/dev/null || [ -e "$cache/$name/$program" ] # another job was faster
fi
echo "$cache/$name/$program"
