#!/bin/sh
# Starts the agent, or says what is missing. With --check as the first argument, it only reports
# whether the agent can start, for `houseguest doctor --agent typescript`.
OLDEST=18
here=$(cd "$(dirname "$0")" && pwd) || exit 1
check=
if [ "$1" = --check ]; then
    check=yes
fi

# fail WHAT MEND
fail() {
    if [ -n "$check" ]; then
        printf '{"checks": [{"name": "node", "state": "problem", "found": "%s", "mend": "%s"}]}\n' \
            "$1" "$2"
    else
        echo "The agent typescript cannot be started: $1. $2" >&2
    fi
    exit 1
}

install="Install Node.js $OLDEST or newer."
command -v node >/dev/null || fail "node is not on the PATH" "$install"
major=$(node -p 'process.versions.node.split(".")[0]') || fail "node does not run" "$install"
[ "$major" -ge "$OLDEST" ] || fail "the version of node is $major" "$install"
for each in node_modules/houseguest-agent/dist/src/index.js dist/src/agent.js; do
    [ -e "$here/$each" ] || fail "it is not built" "In $here run: npm ci && npm run build"
done
if [ -n "$check" ]; then
    printf '{"checks": [{"name": "node", "state": "ok", "found": "%s, and the agent is built"}]}\n' \
        "$(node --version)"
    exit
fi
exec node "$here/dist/src/agent.js" "$@"
