#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Prints the path of a Go command that is new enough for go.mod: the one in PATH, or
# one in the places where Go is commonly put, since sudo resets PATH. Where all are
# too old, the first is printed: it may fetch a newer toolchain by itself. Where there
# is none, "go" is.
set -eu
wanted=$(sed -n 's/^go //p' "$(dirname "$0")/../go.mod")
home=${HOME:-/root}
[ -z "${SUDO_USER:-}" ] || home=$(getent passwd "$SUDO_USER" | cut -d : -f 6)

# newest prints those of its arguments that exist, the highest version first.
newest() {
	for file in "$@"; do
		[ ! -x "$file" ] || echo "$file"
	done | sort -rV
}

first=
for go in $(command -v go || true) /usr/local/go/bin/go "$home/go/bin/go" "$home/.local/go/bin/go" \
	$(newest "$home"/sdk/go*/bin/go) /snap/bin/go $(newest /usr/lib/go*/bin/go); do
	[ -x "$go" ] || continue
	: "${first:=$go}"
	version=$(GOTOOLCHAIN=local "$go" env GOVERSION 2>/dev/null) || continue
	if printf '%s\n' "$wanted" "${version#go}" | sort -CV; then
		echo "$go"
		exit
	fi
done
echo "${first:-go}"
