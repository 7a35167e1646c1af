#!/bin/sh
# npm run check: types (tsc over JSDoc), lint and format of JavaScript, CSS and JSON (biome), format of C (clang-format).
set -eu
cd "$(dirname "$0")/.."
. scripts/setup.sh
pp_setup node
failed=0
node_modules/.bin/tsc --project tsconfig.json --noEmit || failed=1
node_modules/.bin/biome check --error-on-warnings || failed=1
if pp_has clang-format; then
    clang-format --dry-run --Werror $(git ls-files 'c_src/*.[ch]' 'tests/native/*.[ch]') || failed=1
else
    pp_say "clang-format is not here; the C files were not looked at"
fi
exit $failed
