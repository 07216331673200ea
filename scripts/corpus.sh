#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Adds captures of result folders (of run --keep-capture) to those that the analysis is
# tested with, with the truth of each: scripts/corpus.sh [-u] DIR…
#
# What was answered right is taken. With -u also what was not graded, because the machine
# was too busy: the truth of that is known too, but if it is answered otherwise, for which
# there may be a reason, the test will say so and the capture is to be taken out again.
set -eu
verdicts='["hit","correct-reject"]'
if [ "${1:-}" = -u ]; then
	verdicts='["hit","correct-reject","untrusted"]'
	shift
fi
[ $# -gt 0 ] || { echo "usage: scripts/corpus.sh [-u] DIR…" >&2; exit 2; }
corpus=$(dirname "$0")/../rca/testdata/corpus
index=$corpus/index.json
[ -e "$index" ] || echo '[]' >"$index"
for dir; do
	kernel=$(jq -r .kernel_release "$dir/env.json")
	jq -c --argjson verdicts "$verdicts" --arg kernel "$kernel" '
		select(.analyzer == "rca" and .capture and (.verdict | IN($verdicts[]))) |
		{from: .capture, example: {
			capture: "\(.scenario)-\(.variant)-\(.seed)-\($kernel).cap.zst",
			scenario, variant, kernel: $kernel, verdict,
			class: (.truth.class // ""), culprits: [.truth.culprits[].tid]}}' "$dir/results.jsonl" |
		while read -r line; do
			from=$(printf %s "$line" | jq -r .from)
			cp "$dir/$from" "$corpus/$(printf %s "$line" | jq -r .example.capture)"
			printf %s "$line" | jq '[.example]' | jq -s 'add | group_by(.capture) | map(last)' "$index" - >"$index.new"
			mv "$index.new" "$index"
		done
done
# Golden files of what is new.
cd "$corpus/../../.."
exec go test ./rca -run '^TestCorpus$' -update
