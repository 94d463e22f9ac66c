#!/bin/sh
# Starts a command in an image of the environment service.
#
# By default the image starts this script as an ordinary user. The script then creates the home folder
# below /tmp and runs the command. compose.yaml starts it as root. In that case the script first gives
# /runs and /run/houseguest to the owner of the file /owner, and becomes that user without any
# capability, so the results belong to the owner of the clone. If that owner is root, the script
# becomes user 10001 instead; in a rootless engine, where root is the user outside, it stays root.
#
# If /run/houseguest is writable, the script holds a lock on /run/houseguest/open while the command
# runs, however it ends. Agents in other containers see from this lock when the service has ended.
set -eu

prepare() {
    mkdir -p "$HOME"
    # AI2-THOR writes lock files next to its builds, and the image is read-only. Link the builds.
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
