#!/bin/sh
# npm run format: biome for JavaScript, CSS and JSON, clang-format for C.
set -eu
cd "$(dirname "$0")/.."
. scripts/setup.sh
pp_setup node
node_modules/.bin/biome check --write
pp_has clang-format || pp_apt clang-format || pp_die "missing: clang-format; Debian, Ubuntu: apt-get install clang-format"
clang-format -i $(git ls-files 'c_src/*.[ch]' 'tests/native/*.[ch]')
