#!/bin/sh
# npm start: sets up, builds, and serves dist/ on a free port of 127.0.0.1 (or on PORT).
set -eu
cd "$(dirname "$0")/.."
sh build.sh
. scripts/setup.sh
pp_need_node
exec node scripts/serve.mjs
