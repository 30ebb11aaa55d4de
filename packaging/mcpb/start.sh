#!/bin/sh
# Starts the client for this computer's processor, which finds the whole program beside it.
dir=$(dirname "$0")
case "$(uname -m)" in
  x86_64 | amd64) arch=amd64 ;;
  arm64 | aarch64) arch=arm64 ;;
  *)
    echo "say-ur-intent: there is no program for the processor $(uname -m) in this bundle" >&2
    exit 1
    ;;
esac
program="$dir/$arch/say-ur-intent"
# Some programs that unpack bundles forget which files may be executed.
[ -x "$program" ] && [ -x "$program-client" ] || chmod u+x "$program" "$program-client"
exec "$program-client" "$@"
