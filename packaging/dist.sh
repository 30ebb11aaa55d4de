#!/bin/sh
# Builds all files of a release into dist/, and publishes nothing:
#   dist.sh            a snapshot for all six systems
#   dist.sh one        a snapshot for this machine's system, without archives, to try the packages
#   dist.sh release    the tag that is checked out, for all systems
# It requires git, Go, and Node with npm.
set -eu
cd "$(dirname "$0")/.."
kind=${1:-all}
tool() { name=$1; shift; "${GO:-go}" tool -modfile=packaging/tools/go.mod "$name" "$@"; }

if [ ! -f packaging/node_modules/.installed ] || [ packaging/package-lock.json -nt packaging/node_modules/.installed ]; then
  (cd packaging && npm ci --no-audit --no-fund --loglevel=error)
  touch packaging/node_modules/.installed
fi

# goreleaser reads these values from the checkout only if it has a remote with this name. Set them,
# so that two clones of a commit build the same files.
RELEASE_COMMIT=$(git rev-parse --short=12 HEAD)
RELEASE_TIME=$(git log -1 --format=%ct)
RELEASE_DATE=$(TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)
tag=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || echo v0.0.0)
RELEASE_SNAPSHOT="${tag#v}-snapshot.g$RELEASE_COMMIT"
export RELEASE_COMMIT RELEASE_TIME RELEASE_DATE RELEASE_SNAPSHOT

some=
case $kind in
  one) tool goreleaser build --snapshot --clean --single-target; some=-some ;;
  release) tool goreleaser release --clean --skip=publish,announce ;;
  all) tool goreleaser release --snapshot --clean --skip=publish,announce ;;
  *) echo "dist.sh: it is one or release, not $kind" >&2; exit 2 ;;
esac

"${GO:-go}" run ./packaging/pack -dist dist $some
[ ! -f dist/scoop/bucket/say-ur-intent.json ] || "${GO:-go}" run ./packaging/pack -dist dist $some -only scoop
version=$(node -p 'require("./dist/metadata.json").version')
export SOURCE_DATE_EPOCH="$RELEASE_TIME"

# Collect the files that users download in one directory.
mkdir -p dist/release
for dir in dist/npm/*/; do
  (cd "$dir" && npm pack --silent --pack-destination ../../release >/dev/null)
done
for dir in dist/mcpb/*/; do
  NODE_OPTIONS="--require $PWD/packaging/mcpb/commit-time.cjs" TZ=UTC \
    packaging/node_modules/.bin/mcpb pack "$dir" "dist/release/say-ur-intent_${version}_$(basename "$dir").mcpb" >/dev/null
done
# Pack the image's directory into one file, reproducibly.
(cd packaging/tools && "${GO:-go}" run ./image -dist ../../dist -source ../..)
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=pax \
  --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime \
  -cf "dist/release/say-ur-intent_${version}_oci.tar" -C dist/image .
for file in dist/*.tar.gz dist/*.zip dist/*.deb dist/*.rpm dist/*.apk dist/*.cdx.json dist/server.json \
  dist/homebrew/Formula/*.rb dist/scoop/bucket/*.json $(find dist/winget -name '*.yaml' 2>/dev/null); do
  [ ! -f "$file" ] || ln -f "$file" dist/release/
done
(cd dist/release && sha256sum -- * >../checksums.txt && mv ../checksums.txt .)
echo "dist/release has version $version"
