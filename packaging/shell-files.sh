#!/bin/sh
# Writes the shell completions and the manual for the archives. The program generates them.
set -eu
cd "$(dirname "$0")/.."
out=packaging/shell
rm -rf "$out"
mkdir -p "$out"
say() { "$out/.program" "$@"; }
CGO_ENABLED=0 "${GO:-go}" build -trimpath -buildvcs=false -tags grpcnotrace -o "$out/.program" ./cmd/say-ur-intent
say completion bash >"$out/say-ur-intent.bash"
say completion zsh >"$out/_say-ur-intent"
say completion fish >"$out/say-ur-intent.fish"
say completion powershell >"$out/say-ur-intent.ps1"
say manual | sed 's/say\\-ur\\-intent dev/say-ur-intent/; s/say-ur-intent dev/say-ur-intent/' >"$out/say-ur-intent.1"
rm "$out/.program"
# The client program has the flags of the program without a command. Users do not type its name, so
# it has no completions.
echo '.so man1/say-ur-intent.1' >"$out/say-ur-intent-client.1"
