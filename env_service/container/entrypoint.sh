#!/bin/sh
# Starts a command in an image of the environment service.
#
# As an ordinary user, which is how the image starts, it makes the home folder below /tmp and runs
# the command. As root, which is how compose.yaml starts it, it first hands /runs and
# /run/houseguest to the user who owns the file /owner, and becomes that user, with no capability
# left: so results belong to whoever owns the checkout. Where that is root, it is user 10001; in a
# rootless engine, whose root is the user outside, it stays so.
#
# Where /run/houseguest can be written to, the lock on /run/houseguest/open is held for as long as
# the command runs, however it ends: agents beside it see by that when the service has gone.
set -eu

prepare() {
    mkdir -p "$HOME"
    # AI2-THOR writes locks beside its builds, which lie in the image: their folder here is new.
    if [ -d /opt/thor/.ai2thor/releases ]; then
        mkdir -p "$HOME/.ai2thor/releases"
        for build in /opt/thor/.ai2thor/releases/*/; do
            ln -sfn "${build%/}" "$HOME/.ai2thor/releases/"
        done
    fi
    if [ -w /run/houseguest ]; then
        exec 9>/run/houseguest/open
        flock --nonblock 9 || true
    fi
}

if [ "$(id -u)" -ne 0 ]; then
    prepare
    exec "$@"
fi

if [ "${HOUSEGUEST_USER:-}" = dropped ]; then
    unset HOUSEGUEST_USER
    prepare
    exec "$@"
fi

owner=$(stat -c %u:%g /owner 2>/dev/null || echo 0:0)
read -r _ outside _ </proc/self/uid_map
if [ "$owner" = 0:0 ] && [ "$outside" -eq 0 ]; then
    owner=10001:10001
fi
for folder in /runs /run/houseguest; do
    if [ -d "$folder" ]; then chown "$owner" "$folder"; fi
done
export HOUSEGUEST_USER=dropped
exec setpriv --reuid "${owner%:*}" --regid "${owner#*:}" --clear-groups --inh-caps=-all \
    --bounding-set=-all --no-new-privs "$0" "$@"
