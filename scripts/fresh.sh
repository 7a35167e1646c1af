#!/bin/sh
# npm run fresh: both commands of the README on a machine that nobody has touched.
#     npm run fresh -- [debian12|debian13] [root|user]    debian12 unless named; both users unless one is named
# Makes an empty root with debootstrap (minimal variant), with npm, ca-certificates and sudo, which is what the README asks
# for; clones HEAD into it; runs scripts/readme-commands.sh in it as root and, in a copy of the root, as an ordinary user with
# sudo; then, in each, both once more with no network at all, of the tests a few. Debian 12 as a user begins with package lists
# that are a month old and name files that the mirror does not have. Prints the closing lines and the times, and fails where a
# test failed or a skip is not one that the README announces. Needs root, or sudo.
#
# The roots lie in a folder of their own, which is removed at the end, and are seen and used only in namespaces of their own:
# whatever way this ends, no mount and no process remains. Packages are kept in build/fresh for the next time.
set -eu
cd "$(dirname "$0")/.."

# What follows runs in the namespaces, as root:  inside PLACE RELEASE SUITE MIRROR USER...
if [ "${1:-}" = inside ]; then
    place=$2 release=$3 suite=$4 mirror=$5
    shift 5
    jobs=1 # files of tests side by side, where both users run at once
    [ $# -gt 1 ] || jobs=2
    cache=$PWD/build/fresh/$suite
    mkdir -p "$cache/bootstrap" "$cache/archives"

    echo "fresh: $release: debootstrap"
    debootstrap --variant=minbase --cache-dir="$cache/bootstrap" "$suite" "$place/base" "$mirror" >"$place/log" 2>&1 || {
        tail -n 20 "$place/log"
        exit 1
    }

    # mounted ROOT: what programs expect of a machine.
    mounted() {
        mount -t proc proc "$1/proc"
        mount --rbind /sys "$1/sys"
        mount --rbind /dev "$1/dev"
        mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
    }
    # within ROOT USER COMMAND...: with nothing of this machine's environment but its way into the network.
    within() {
        root=$1 user=$2
        shift 2
        home=/root
        [ "$user" = root ] || home=/home/$user
        chroot --userspec="$user:$user" "$root" env -i HOME="$home" USER="$user" \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin CI=true PP_TEST_JOBS="${PP_TEST_JOBS:-$jobs}" \
            ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
            ${npm_config_registry:+npm_config_registry="$npm_config_registry"} "$@"
    }
    # debs FROM TO: package files, without a second copy where the file system can.
    debs() { find "$1" -maxdepth 1 -name '*.deb' -exec cp -nl -t "$2" {} + 2>/dev/null || find "$1" -maxdepth 1 -name '*.deb' -exec cp -n -t "$2" {} +; }

    base=$place/base
    # The mirror's certificates and proxy, where this machine has some of its own.
    if [ -d /usr/local/share/ca-certificates ]; then cp -a /usr/local/share/ca-certificates "$base/usr/local/share/"; fi
    apt-config dump | grep -E '^Acquire::(http|https)::Proxy|^Acquire::Check-' >"$base/etc/apt/apt.conf.d/90machine" || true
    debs "$cache/archives" "$base/var/cache/apt/archives"
    # What is on the disk need not outlive a power cut.
    echo force-unsafe-io >"$base/etc/dpkg/dpkg.cfg.d/unsafe-io"
    echo "fresh: $release: what the README asks for"
    mounted "$base"
    within "$base" root apt-get -q install -y --no-install-recommends npm ca-certificates sudo >>"$place/log" 2>&1 || {
        tail -n 20 "$place/log"
        exit 1
    }
    debs "$base/var/cache/apt/archives" "$cache/archives"
    for mount in dev/shm dev sys proc; do umount --recursive "$base/$mount"; done

    # one USER: in a copy of the base.
    one() (
        user=$1
        root=$place/$user
        cp -a "$base" "$root"
        mounted "$root"
        home=/root
        if [ "$user" != root ]; then
            home=/home/$user
            chroot "$root" useradd --create-home --shell /bin/sh "$user"
            echo "$user ALL=(ALL) NOPASSWD: ALL" >"$root/etc/sudoers.d/$user"
            if [ "$suite" = bookworm ]; then
                # A machine of last month: the mirror has another release of these by now, and of its lists.
                for list in "$root"/var/lib/apt/lists/*_Packages; do
                    sed -i -E 's#^(Filename: pool/main/(c/cmake|e/emscripten|c/chromium|f/firefox-esr)/[a-z-]*_)#\10.#' "$list"
                done
                sed -i -E 's/^ [0-9a-f]{8}/ 00000000/; s/^Date: .*/Date: Sat, 01 Jan 2022 00:00:00 UTC/' "$root"/var/lib/apt/lists/*Release
                find "$root/var/lib/apt/lists" -exec touch -d '30 days ago' {} +
            fi
        fi
        git clone -q --no-hardlinks "$PWD" "$root$home/pipeline-figure"
        chroot "$root" chown -R "$user:$user" "$home/pipeline-figure"
        status=0
        within "$root" "$user" sh "$home/pipeline-figure/scripts/readme-commands.sh" || status=$?
        debs "$root/var/cache/apt/archives" "$cache/archives"
        [ $status = 0 ] || exit $status
        echo "fresh: $release, $user: the network is gone"
        # shellcheck disable=SC2086
        unshare --net sh -c 'ip link set lo up && exec "$@"' sh \
            chroot --userspec="$user:$user" "$root" env -i HOME="$home" USER="$user" CI=true \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            sh "$home/pipeline-figure/scripts/readme-commands.sh" ${FRESH_OFFLINE_TESTS-tests/build/package.test.mjs tests/browser/book.test.mjs}
    )

    for user; do
        one "$user" >"$place/$user.log" 2>&1 &
        echo $! >"$place/$user.pid"
    done
    failed=0
    for user; do
        wait "$(cat "$place/$user.pid")" || failed=1
        cp "$place/$user.log" "build/fresh/$release-$user.log"
    done
    exit $failed
fi

. scripts/setup.sh
release=debian12
users='root reader'
for word; do
    case $word in
        debian12 | debian13) release=$word ;;
        root) users=root ;;
        user) users=reader ;;
        *) pp_die "npm run fresh -- [debian12|debian13] [root|user]; not $word" ;;
    esac
done
case $release in debian12) suite=bookworm ;; debian13) suite=trixie ;; esac
if [ "$(id -u)" != 0 ]; then
    pp_has sudo || pp_die "npm run fresh needs root, or sudo"
    exec sudo env PATH="$PATH" sh scripts/fresh.sh "$@"
fi
pp_want=
pp_has debootstrap || pp_want="$pp_want debootstrap"
pp_has unshare || pp_want="$pp_want util-linux"
pp_has ip || pp_want="$pp_want iproute2"
# shellcheck disable=SC2086
[ -z "$pp_want" ] || pp_apt $pp_want || pp_die "missing:$pp_want"

# Where this machine has its own packages from.
pp_need_lists
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1)
[ -n "$mirror" ] || pp_die "no mirror of Debian among the sources of apt"
npm_config_registry=$(npm config get registry 2>/dev/null) && export npm_config_registry

mkdir -p build/fresh
place=$(mktemp -d "${TMPDIR:-/tmp}/pipeline-figure-fresh.XXXXXX")
chmod 755 "$place"
worker=
clean() {
    # The namespaces end with their first process, and with them all that runs and is mounted there.
    [ -z "$worker" ] || kill -s KILL "$worker" 2>/dev/null || true
    [ -z "$worker" ] || wait "$worker" 2>/dev/null || true
    rm -rf --one-file-system "$place"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
began=$(date +%s)
# shellcheck disable=SC2086
unshare --mount --pid --fork --kill-child --mount-proc sh scripts/fresh.sh inside "$place" $release $suite "$mirror" $users &
worker=$!
status=0
wait "$worker" || status=$?
worker=

# What the README announces as left out.
announced='BUSY MACHINE' # speed is measured only where nobody else wants the processors
[ $release != debian12 ] || announced="$announced|NO PYTORCH"
for user in $users; do
    log=build/fresh/$release-$user.log
    [ -f "$log" ] && grep -qE '^[0-9]+ passed, [0-9]+ failed$' "$log" || {
        [ ! -f "$log" ] || tail -n 30 "$log"
        echo "fresh: $release, $user: came to no closing line"
        status=1
        continue
    }
    grep -E '^(failed|note): ' "$log" | sed "s/^/fresh: $release, $user: /" || true
    grep '^SKIPPED' "$log" | sed "s/^/fresh: $release, $user: /" || true
    if grep '^SKIPPED' "$log" | grep -qvE "$announced"; then
        echo "fresh: $release, $user: the README announces no such skip"
        status=1
    fi
    grep -E '^([0-9]+ passed, [0-9]+ failed|npm start [0-9]+ s, .*)$' "$log" | sed "s/^/fresh: $release, $user: /"
done
echo "fresh: $release: $([ $status = 0 ] && echo fine || echo FAILED) after $(($(date +%s) - began)) s; all that was said: build/fresh/$release-*.log"
exit $status
