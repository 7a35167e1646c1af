#!/bin/sh
# npm run fuzz: long random tests: requests against a second simulator; training by random settings, in one thread, by workers
# and under sanitizers; 10^5 steps of training, which must keep memory flat; hostile files under sanitizers.
#     npm run fuzz -- [HOW MANY REQUESTS, 1000000] [SEED, 1]
set -eu
cd "$(dirname "$0")/.."
sh build.sh --tests
build/native/test_properties "${1:-1000000}" "${2:-1}"
node tests/fuzz-train.mjs 5000 "${2:-1}"
if [ -x build/sanitize/test_rank ]; then node tests/fuzz-train.mjs 5000 "${2:-1}" print | build/sanitize/test_rank -; fi
node --expose-gc tests/soak.mjs
if [ -x build/sanitize/test_table_fuzz ]; then build/sanitize/test_table_fuzz; fi
