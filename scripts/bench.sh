#!/bin/sh
# npm run bench: builds, then prints the scheduler's speed beside other ways to do the same, that of the toy network's
# kernels beside other engines, how long the figure takes for what a reader does, and how large things are.
#     npm run bench -- start [--beside DIST] …    only how long a reader waits for the figure (tests/bench/start.mjs)
set -eu
cd "$(dirname "$0")/.."
if [ "${1:-}" = start ]; then
    shift
    sh build.sh
    . scripts/setup.sh
    pp_need_node
    pp_find_browsers
    exec node tests/bench/start.mjs "$@"
fi
sh build.sh --tests
. scripts/setup.sh
pp_need_node
# The other engines are large and nothing else needs them, so they live in build/ and never in package.json.
if ! cmp -s tests/bench/peers/package.json build/peers/installed.json; then
    mkdir -p build/peers
    cp tests/bench/peers/package.json build/peers/package.json
    if npm install --prefix build/peers --no-package-lock --ignore-scripts --no-audit --no-fund >build/peers.log 2>&1; then
        cp build/peers/package.json build/peers/installed.json
    else
        echo "the other engines could not be installed (build/peers.log); going on without them" >&2
    fi
fi
node tests/bench/schedules.mjs
node tests/bench/optimum.mjs
# Node 20 has relaxed multiply-add behind a flag that later ones do not know.
node $(node -p 'process.versions.node.split(".")[0] < 21 ? "--experimental-wasm-relaxed-simd" : ""') tests/bench/matmul.mjs
node tests/bench/workers.mjs
pp_find_browsers
node tests/bench/browsers.mjs
node tests/bench/figure.mjs
node tests/bench/interactive.mjs
node tests/bench/start.mjs
exec node tests/bench/large.mjs
