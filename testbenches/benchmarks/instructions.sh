#!/usr/bin/env bash
# Instructions per operation of each workload of vcore-bench, by callgrind: the difference of two counts, so that set-up
# cancels out. Steady where times are not, but one repeated string instruction (`rep stos`, by which large arrays are
# cleared) counts as many as it stores. usage: testbenches/benchmarks/instructions.sh [VCORE_BENCH]
set -euo pipefail
bench=${1:-build/release/vcore-bench}
command -v valgrind >/dev/null || { echo "needs valgrind (apt-get install valgrind)" >&2; exit 2; }

count() {  # workload, operations
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" --work "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

few=6400
many=19200
printf '%-28s %s\n' workload instructions
measure() {  # workload
    printf '%-28s %d\n' "$1" $((($(count "$1" $many) - $(count "$1" $few)) / (many - few)))
}
for pattern in random sequential masked; do
    for level in native isa engine model; do measure "${level}_gather/$pattern"; done
done
measure plain_b_transport
measure model_load
for workload in at_engine/case6 at_engine/case6_traced at_top/case6 at_length/half at_length/full \
                at_gather/no_conflict at_gather/all_conflict; do
    measure "$workload"
done
