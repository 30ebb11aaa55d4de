#!/bin/sh
# Builds the current commit twice, in two directories with different names, and compares all files
# of the release: reproduce.sh [one]. With "one", it builds for this machine's system only.
set -eu
cd "$(dirname "$0")/.."
kind=${1:-all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
commit=$(git rev-parse HEAD) # whatever is committed meanwhile
for name in first a-second-folder; do
  git clone --quiet --no-local . "$work/$name"
  git -C "$work/$name" checkout --quiet --detach "$commit"
  # Both builds use the same tools, so install these once.
  [ -d packaging/node_modules ] && cp -R packaging/node_modules "$work/$name/packaging/"
  (cd "$work/$name" && sh packaging/dist.sh "$kind" >"$work/$name.log" 2>&1) || {
    cat "$work/$name.log" >&2
    exit 1
  }
done
(cd "$work/first/dist" && find . -name 'say-ur-intent*' -type f ! -path './npm/*' -exec sha256sum {} + | LC_ALL=C sort -k2) >"$work/programs-1"
(cd "$work/a-second-folder/dist" && find . -name 'say-ur-intent*' -type f ! -path './npm/*' -exec sha256sum {} + | LC_ALL=C sort -k2) >"$work/programs-2"
diff "$work/programs-1" "$work/programs-2" || { echo 'reproduce: the programs differ' >&2; exit 1; }
diff "$work/first/dist/release/checksums.txt" "$work/a-second-folder/dist/release/checksums.txt" || { echo 'reproduce: the packages differ' >&2; exit 1; }
echo "Two builds in two folders are the same: $(wc -l <"$work/programs-1") programs and packages, $(wc -l <"$work/first/dist/release/checksums.txt") checksums."
