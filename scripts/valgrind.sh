#!/bin/sh
# npm run valgrind: builds, then runs every native test under valgrind, which sees reads of what nobody has written and
# memory that nobody frees. Takes a quarter of an hour.
#     npm run valgrind -- test_rank test_every      these alone
set -eu
cd "$(dirname "$0")/.."
sh build.sh --tests
. scripts/setup.sh
pp_has valgrind || pp_apt valgrind || pp_die "missing: valgrind; Debian, Ubuntu: apt-get install valgrind"
[ $# -gt 0 ] || set -- $(cd build/native && ls test_* | grep -v '\.')
failed=
for test; do
    bound=
    [ "$test" != test_properties ] || bound=1000 # random requests of 20000
    printf '%s: ' "$test"
    if valgrind --quiet --error-exitcode=9 --leak-check=full "build/native/$test" $bound >build/valgrind.log 2>&1; then
        tail -n 1 build/valgrind.log
    else
        failed="$failed $test"
        echo
        cat build/valgrind.log
    fi
done
[ -z "$failed" ] || {
    echo "valgrind: not clean:$failed"
    exit 1
}
echo "valgrind: clean"
