# Functions for phases that install Debian packages. Source this file.
# shellcheck shell=bash

# shellcheck disable=SC2034
readonly SKIPPED=77
reason=""
deadline=$((SECONDS + 240))

# Sets the deadline of the following commands, including `bounded`, in seconds from now.
within() {
    deadline=$((SECONDS + $1))
}

# Runs a command at most until the deadline; the status is 124 if the deadline has passed. The command
# ends together with this shell.
bounded() {
    local left=$((deadline - SECONDS))
    ((left > 0)) || return 124
    setpriv --pdeathsig TERM timeout --kill-after 5 "$left" "$@"
}

# Prints the packages that are not installed.
missing() {
    local each
    for each; do
        if [[ $(dpkg-query -W -f '${db:Status-Status}' "$each" 2>/dev/null) != installed ]]; then
            echo "$each"
        fi
    done
}

# Installs the missing packages. On failure, $reason contains the cause.
have() {
    local lacking attempt
    mapfile -t lacking < <(missing "$@")
    ((${#lacking[@]})) || return 0
    reason="not installed: ${lacking[*]}"
    if ! command -v apt-get >/dev/null; then
        reason+=" (there is no apt-get)"
        return 1
    elif ((EUID)); then
        reason+=" (only root can install packages)"
        return 1
    fi
    echo "installing ${lacking[*]}"
    # Retry, because another apt-get may be running.
    for attempt in 1 2 3; do
        if bounded apt-get -qq update && bounded env DEBIAN_FRONTEND=noninteractive \
            apt-get -qq -y --no-install-recommends -o DPkg::Lock::Timeout=60 \
            -o Acquire::Retries=3 install "${lacking[@]}" >/dev/null; then
            return 0
        fi
        ((attempt == 3)) || sleep 3
    done
    reason+=" (apt-get failed)"
    return 1
}

# Prints the Debian mirror from this machine's package sources.
mirror() {
    apt-get --print-uris update 2>/dev/null |
        sed -n "s|^'\(.*/debian\)/dists/.*|\1|p" | awk 'NR == 1 {print} END {exit !NR}'
}
