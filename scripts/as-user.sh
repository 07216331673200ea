#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs a command as the user who called sudo, if the tree in the current folder is
# theirs to write, so that nothing in it, or in their caches, comes to belong to root.
# Without sudo, and as anybody but root, it only runs the command.
set -eu

user=${SUDO_UID:-0}
if [ "$(id -u)" -ne 0 ] || [ "$user" -eq 0 ]; then
	exec "$@"
fi
as() {
	setpriv --reuid="$user" --regid="$SUDO_GID" --init-groups "$@"
}
if ! as test -w .; then
	exec "$@"
fi
home=$(getent passwd "$user" | cut -d : -f 6)
exec setpriv --reuid="$user" --regid="$SUDO_GID" --init-groups \
	env HOME="$home" USER="$SUDO_USER" LOGNAME="$SUDO_USER" "$@"
