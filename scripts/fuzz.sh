#!/bin/sh
# npm run fuzz: long random tests, natively: requests against a second simulator, hostile files under sanitizers; and 10^5
# steps of training, which must keep memory flat.
#     npm run fuzz -- [HOW MANY REQUESTS, 1000000] [SEED, 1]
set -eu
cd "$(dirname "$0")/.."
sh build.sh --tests
build/native/test_properties "${1:-1000000}" "${2:-1}"
node --expose-gc tests/soak.mjs
if [ -x build/sanitize/test_table_fuzz ]; then build/sanitize/test_table_fuzz; fi
