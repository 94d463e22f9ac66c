# What the phases share that install Debian's packages. To be sourced.
# shellcheck shell=bash

# shellcheck disable=SC2034
readonly SKIPPED=77
reason=""
deadline=$((SECONDS + 240))

# What follows, including `bounded`, has so many seconds from now on.
within() {
    deadline=$((SECONDS + $1))
}

# Runs a command until the deadline at the longest; 124 if that has passed. It ends with the shell
# that it is run by.
bounded() {
    local left=$((deadline - SECONDS))
    ((left > 0)) || return 124
    setpriv --pdeathsig TERM timeout --kill-after 5 "$left" "$@"
}

# Prints those of the packages that are not installed.
missing() {
    local each
    for each; do
        if [[ $(dpkg-query -W -f '${db:Status-Status}' "$each" 2>/dev/null) != installed ]]; then
            echo "$each"
        fi
    done
}

# Installs those of the packages that are not there. On failure $reason has the cause.
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
    # Again, because another apt-get may be at work.
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

# Prints the mirror of Debian that this machine's own package sources name.
mirror() {
    apt-get --print-uris update 2>/dev/null |
        sed -n "s|^'\(.*/debian\)/dists/.*|\1|p" | awk 'NR == 1 {print} END {exit !NR}'
}
