#!/bin/sh
# Starts the program for this computer's processor.
dir=$(dirname "$0")
case "$(uname -m)" in
  x86_64 | amd64) arch=amd64 ;;
  arm64 | aarch64) arch=arm64 ;;
  *)
    echo "say-ur-intent: there is no program for the processor $(uname -m) in this bundle" >&2
    exit 1
    ;;
esac
program="$dir/say-ur-intent-$arch"
# Some programs that unpack bundles forget which files may be executed.
[ -x "$program" ] || chmod u+x "$program"
exec "$program" "$@"
