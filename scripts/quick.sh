#!/bin/sh
# npm run quick: builds, and runs what tells most in little time: native tests without sanitizers, and Node's without browsers and
# without those that start many processes. For the minutes between two changes; npm test is the judge.
set -eu
cd "$(dirname "$0")/.."
sh build.sh --native
. scripts/setup.sh
pp_need_node
exec node tests/run.mjs --quick
