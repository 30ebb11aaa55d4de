#!/bin/sh
# Renders the bundle's icon from the logo of the pages, with Chromium.
set -eu
cd "$(dirname "$0")/.."
page=$(mktemp --suffix=.html)
trap 'rm -f "$page"' EXIT
printf '<!doctype html><style>html,body{margin:0;background:transparent}svg{display:block;width:512px;height:512px}</style>%s' \
  "$(cat internal/web/assets/mark.svg)" >"$page"
chromium --headless --no-sandbox --hide-scrollbars --disable-gpu --default-background-color=00000000 \
  --window-size=512,512 --screenshot="$PWD/packaging/mcpb/icon.png" "file://$page" >/dev/null 2>&1
