#!/bin/sh
# Writes the list of what is inside one built file, as CycloneDX 1.6, read from the
# file itself, with their licenses: sbom.sh FILE DOCUMENT VERSION, in whatever folder. It holds no
# time and no random number.
set -eu
# The tool names itself with a checksum: without this, that would be of the folder it was
# built in.
export GOFLAGS=-trimpath
top=$(cd "$(dirname "$0")/.." && pwd)
"${GO:-go}" tool -modfile="$top/packaging/tools/go.mod" cyclonedx-gomod bin -json -noserial -notimestamp \
  -version "$3" -output-version 1.6 -output "$2" "$1"
case $2 in
  /*) document=$2 ;;
  *) document=$PWD/$2 ;;
esac
exec "${GO:-go}" run -C "$top" ./packaging/notices -bom "$document"
