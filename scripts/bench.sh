#!/bin/sh
# npm run bench: builds, then prints the scheduler's speed beside other ways to do the same, how long the figure takes
# for what a reader does, and how large things are.
set -eu
cd "$(dirname "$0")/.."
sh build.sh --tests
. scripts/setup.sh
pp_need_node
node tests/bench/schedules.mjs
exec node tests/bench/figure.mjs
