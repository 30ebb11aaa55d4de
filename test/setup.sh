#!/bin/sh
# Brings what the tests need beside Go: Chromium, Node and the JavaScript clients
# of test/clients. What is in PATH is used; else apt installs it when this is
# root; else one line says what to install, and this fails.
set -eu
cd "$(dirname "$0")/.."

missing=
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || missing="$missing nodejs npm"
if [ -n "$missing" ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing$missing"
    apt-get update -qq
    # shellcheck disable=SC2086 # the list is meant to split
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
  else
    echo "The tests need$missing. On Debian, as root: apt-get install$missing" >&2
    exit 1
  fi
fi

# The MCP Inspector needs Node 22.19 or newer. An older one (Debian 12 has 18)
# brings a newer one from its own registry, into bin/, which the Makefile puts
# into PATH.
new_node() { node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 19) ? 0 : 1)'; }
PATH="$PWD/bin/node/node_modules/.bin:$PATH"
if ! new_node; then
  npm install --prefix bin/node --no-save --no-audit --no-fund --loglevel=error node@22.19.0
  hash -r
  if ! new_node; then
    echo "The tests need Node 22.19 or newer in PATH; this machine has $(node --version)." >&2
    exit 1
  fi
fi

# A work tree that is up to date is left alone: npm ci takes a quarter of a minute.
clients=test/clients
if [ ! -f $clients/node_modules/.installed ] || [ $clients/package-lock.json -nt $clients/node_modules/.installed ]; then
  (cd $clients && npm ci --no-audit --no-fund --loglevel=error)
  touch $clients/node_modules/.installed
fi
if [ ! -f $clients/dist/burner.js ] || [ $clients/package-lock.json -nt $clients/dist/burner.js ]; then
  (cd $clients && npm run --silent burner)
fi
