#!/bin/sh
# npm run test:consumers: builds and packs the package, and lets scripts/consumers.mjs import it as others would.
set -eu
cd "$(dirname "$0")/.."
sh build.sh
. scripts/setup.sh
pp_need_node
pp_find_browsers
exec node scripts/consumers.mjs
