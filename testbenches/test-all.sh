#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests: in the release build, then under sanitizers.
set -euo pipefail
cd "$(dirname "$0")/.."

.ci/install

for preset in release asan; do
    echo "== $preset"
    cmake --preset "$preset"
    cmake --build --preset "$preset"
    ctest --preset "$preset" --parallel "$(nproc)"
done

echo "== published measurements"
build/release/vcore-calibration testbenches/calibration
