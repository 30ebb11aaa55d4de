#!/bin/sh
# Installs what the tests need in addition to Go: Chromium, fonts, Node and the JavaScript clients in
# test/clients. It uses programs in PATH. If some are missing, root installs them with apt; for other
# users, it fails and prints what to install.
set -eu
cd "$(dirname "$0")/.."

missing=
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
# The drawings of the pages are measured in the fonts that people have.
if [ "$(uname)" = Linux ]; then
  command -v fc-list >/dev/null 2>&1 || missing="$missing fontconfig"
  for font in 'DejaVu Sans=fonts-dejavu-core' Inter=fonts-inter 'Liberation Sans=fonts-liberation' 'Noto Sans=fonts-noto-core'; do
    fc-list "${font%%=*}" family 2>/dev/null | grep -q . || missing="$missing ${font#*=}"
  done
fi
command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || missing="$missing nodejs npm"
# The browser tests take half as long in the shell without windows, which not every system
# has. The whole browser is still needed for the README's picture.
known() { apt-cache show chromium-headless-shell >/dev/null 2>&1; }
shell=
command -v chromium-headless-shell >/dev/null 2>&1 || shell=chromium-headless-shell
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  [ -z "$missing" ] || apt-get update -qq
  known || shell=
  if [ -n "$missing$shell" ]; then
    echo "installing$missing $shell"
    # shellcheck disable=SC2086 # the list is meant to split
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing $shell >/dev/null
  fi
elif [ -n "$missing" ]; then
  echo "The tests need$missing. On Debian, as root: apt-get install$missing $shell" >&2
  exit 1
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

# packages DIR COMMAND: a work tree that is up to date is left alone, for npm ci takes
# a quarter of a minute.
packages() {
  if [ ! -f "$1/node_modules/.installed" ] || [ "$1/package-lock.json" -nt "$1/node_modules/.installed" ]; then
    (cd "$1" && npm $2 --no-audit --no-fund --loglevel=error) || return
    touch "$1/node_modules/.installed"
  fi
}
clients=test/clients
packages $clients ci
# The bundles are made again when what goes into them is newer than either.
for from in package-lock.json build.mjs burner.entry.mjs cardhost.entry.mjs; do
  if [ ! $clients/dist/burner.js -nt $clients/$from ] || [ ! $clients/dist/cardhost.js -nt $clients/$from ]; then
    (cd $clients && npm run --silent bundle)
    break
  fi
done

# The agents of test/agents, over a gigabyte, are wanted by make clients alone. npm ci
# stops when a registry lacks a package for another platform; install takes what the
# lock file says and leaves out a client that cannot be had. Its test is then skipped.
if [ "${1-}" = agents ]; then
  packages test/agents 'install --no-save' || echo "NOT RUN: npm install failed in test/agents: its clients are not there" >&2
fi
