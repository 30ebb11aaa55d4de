#!/bin/sh
# Writes the list of what is inside one built file, as CycloneDX 1.6, read from the
# file itself: sbom.sh FILE DOCUMENT. It holds no time and no random number.
set -eu
exec "${GO:-go}" tool -modfile=packaging/tools/go.mod cyclonedx-gomod bin -json -noserial -output-version 1.6 -output "$2" "$1"
