#!/usr/bin/env bash
# Installs what is missing, builds the runner and runs the embedding look-up on the default product, or the program and
# options given: testbenches/quickstart.sh PROGRAM [--product NAME] ...
set -euo pipefail
cd "$(dirname "$0")/.."

.ci/install

cmake --preset release
cmake --build --preset release --target vcore-sim embedding-program

if [ $# -eq 0 ]; then
    set -- build/release/programs/embedding/embedding.vprog
fi
exec build/release/vcore-sim run "$@"
