#!/bin/sh
# Builds everything into dist/: the core with Emscripten, then bundles, static figures and the page.
#     ./build.sh            dist/
#     ./build.sh --native   also the native build, in build/native
#     ./build.sh --tests    also that and the one under ASan and UBSan, in build/sanitize
# What is missing (npm packages, cmake, a C compiler, Emscripten) is installed first where that can be done.
set -eu
cd "$(dirname "$0")"
. scripts/setup.sh
pp_setup

# Two builds at once in the same folder would tread on each other.
if pp_has flock; then
    exec 9>build/lock
    flock 9
fi

jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

# build FOLDER CONFIGURE-COMMAND...: what CMake and the compiler say is shown only where it matters.
build() {
    folder=$1
    shift
    # CMake refuses a folder that was made elsewhere: a repository may be moved or copied.
    if [ -f "$folder/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$folder/CMakeCache.txt"; then
        rm -rf "$folder"
    fi
    {
        "$@" -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release && cmake --build "$folder" --parallel "$jobs"
    } >"$folder.log" 2>&1 || {
        cat "$folder.log" >&2
        exit 1
    }
    grep -A 5 'warning:' "$folder.log" >&2 || true
}

build build/wasm emcmake cmake
# A compiler we never saw may warn where ours do not: PP_WERROR=OFF lets it.
if [ "${1:-}" = --tests ] || [ "${1:-}" = --native ]; then build build/native cmake -DPP_WERROR="${PP_WERROR:-ON}"; fi
if [ "${1:-}" = --tests ]; then
    if pp_find_sanitizers; then
        build build/sanitize cmake -DCMAKE_C_COMPILER="$PP_SANITIZING_CC" -DPP_WERROR="${PP_WERROR:-ON}" -DPP_SANITIZE=ON
    else
        rm -rf build/sanitize
    fi
fi
node web/build/build.mjs
# Types for those who import the package, from the comments; whether they are right is asked by npm run check.
node_modules/.bin/tsc --project tsconfig.json --noCheck
