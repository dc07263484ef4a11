#!/bin/sh
# What the front end of kernels costs beyond vcore-sim, for the same ops: user time of both, in turns, and their ratio.
# usage: overhead.sh BUILD_FOLDER [REPETITIONS]
set -eu
build=$1
repetitions=${2:-5}
here=$(cd "$(dirname "$0")" && pwd)
for mode in at lt; do
  kernel=""
  program=""
  for _ in $(seq "$repetitions"); do
    kernel="$kernel $( { VCORE_ARGS="--quiet --mode $mode" bash -c 'TIMEFORMAT=%U; time "$0" > /dev/null 2> /dev/null' \
      "$build/vcore-kernel-overhead"; } 2>&1)"
    program="$program $( { bash -c 'TIMEFORMAT=%U; time "$0" run "$1" --quiet --mode "$2" > /dev/null 2> /dev/null' \
      "$build/vcore-sim" "$here/overhead.vprog" "$mode"; } 2>&1)"
  done
  median() { printf '%s\n' "$@" | sort -n | sed -n "$(((repetitions + 1) / 2))p"; }
  # shellcheck disable=SC2086
  k=$(median $kernel) p=$(median $program)
  echo "$mode: kernel $k s, vcore-sim $p s, ratio $(awk "BEGIN { printf \"%.2f\", $k / $p }")"
done
