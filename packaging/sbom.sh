#!/bin/sh
# Writes a CycloneDX 1.6 bill of materials for a built program, with licenses. It reads the modules
# from the program: sbom.sh FILE DOCUMENT VERSION. The document contains no times or random numbers.
set -eu
# The tool writes its own checksum into the document. Without this, that would depend on the
# directory in which it was built.
export GOFLAGS=-trimpath
top=$(cd "$(dirname "$0")/.." && pwd)
"${GO:-go}" tool -modfile="$top/packaging/tools/go.mod" cyclonedx-gomod bin -json -noserial -notimestamp \
  -version "$3" -output-version 1.6 -output "$2" "$1"
case $2 in
  /*) document=$2 ;;
  *) document=$PWD/$2 ;;
esac
exec "${GO:-go}" run -C "$top" ./packaging/notices -bom "$document"
