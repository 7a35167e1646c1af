#!/bin/sh
# Both commands of the README, as a reader types them: npm start up to the address that it prints and the page behind it,
# then npm test. Started by scripts/fresh.sh in a clone on a fresh machine. Its last line says how long each took.
#     sh scripts/readme-commands.sh [TEST-FILE...]
set -eu
cd "$(dirname "$0")/.."
log=start.log # build/ is not there yet
clock() { date +%s; }

began=$(clock)
setsid npm start >"$log" 2>&1 &
server=$!
# The server ends with this script, however that ends.
trap 'kill -s TERM -- "-$server" 2>/dev/null || true' EXIT
trap 'exit 143' INT TERM HUP
address=
while [ -z "$address" ]; do
    kill -0 "$server" 2>/dev/null || {
        cat "$log"
        echo "npm start ended before it printed an address"
        exit 1
    }
    sleep 1
    address=$(grep -o 'http://127\.0\.0\.1:[0-9]*[^ ]*' "$log" | head -n 1) || true
done
cat "$log"
node -e 'fetch(process.argv[1]).then(async (answer) => {
    const page = await answer.text();
    if (answer.status !== 200 || !page.includes("<pipeline-figure")) throw new Error(`${answer.status}: ${page.slice(0, 200)}`);
})' "$address"
kill -s TERM -- "-$server"
rm "$log"
started=$(clock)

status=0
npm test -- "$@" || status=$?
echo "npm start $((started - began)) s, npm test $(($(clock) - started)) s"
exit $status
