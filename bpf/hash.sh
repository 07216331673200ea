#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Prints one line, "sha256  HASH", over everything the generated objects are made
# of: the C sources and headers, the go:generate line and the compiler's version.
# The order is that of bytes, whatever the locale. CLANG names the compiler.
set -eu
cd "$(dirname "$0")"
LC_ALL=C
export LC_ALL

compiler=$("${CLANG:-clang-19}" --version | head -n 1)
[ -n "$compiler" ] || { echo "hash.sh: ${CLANG:-clang-19} does not run" >&2; exit 1; }
set --
for file in *.c *.h gen.go; do
	[ ! -e "$file" ] || set -- "$@" "$file"
done
[ $# -gt 0 ] || { echo "hash.sh: no sources" >&2; exit 1; }

hash=$({ sha256sum -- "$@"; echo "$compiler"; } | sha256sum | cut -d ' ' -f 1)
echo "sha256  $hash"
