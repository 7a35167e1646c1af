#!/bin/sh
# npm test: sets up, builds, runs every test; the last line reads "N passed, N failed".
# Arguments choose test files of Node, which then run alone:  npm test -- tests/build/package.test.mjs
set -eu
cd "$(dirname "$0")/.."
sh build.sh --tests
. scripts/setup.sh
pp_need_node
pp_find_browsers
case "$*" in
    '' | *torch*) pp_find_torch ;;
esac
exec node tests/run.mjs "$@"
