#!/bin/sh
# Installs each package that dist.sh built into a temporary directory, as a user would, and does the
# main job with it: the MCP handshake, the list of tools, and a review of a swap on the sandbox. It
# also checks the image, the bills of materials and the checksums, and runs the publishing steps of
# the release workflow. It fetches no package from a registry.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
version=$(node -p 'require("./dist/metadata.json").version')
system=$(node -p '`${process.platform}-${process.arch}`')
work=$(mktemp -d)
registry=
whole=
end() {
  [ -z "$registry" ] || kill "$registry" 2>/dev/null || true
  [ -z "$whole" ] || "$whole" stop --network sandbox >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap end EXIT
# The clients have left the shared server running. Stop it.
stopped() {
  whole=$1
  said=$("$whole" stop --network sandbox)
  case $said in
    "The server "*) ;;
    *) echo "no server ran for the client: $said" >&2; exit 1 ;;
  esac
}
# Use a separate home directory, but keep Go's directories.
GOMODCACHE=$(go env GOMODCACHE) GOCACHE=$(go env GOCACHE) GOPATH=$(go env GOPATH)
export GOMODCACHE GOCACHE GOPATH
export HOME="$work/home" SAY_UR_INTENT_DATA_DIR="$work/data"
mkdir -p "$HOME"

echo '== npm: the launcher and the package of this system, from their files'
mkdir "$work/npm"
(cd "$work/npm" && npm init -y >/dev/null && npm install --offline --no-audit --no-fund --loglevel=error \
  "$top/dist/release/say-ur-intent-$version.tgz" "$top/dist/release/sayurintent-$system-$version.tgz")
(cd "$work/npm" && npx --offline --no-install say-ur-intent version)
node packaging/main-job.mjs "$version" "$work/npm/node_modules/.bin/say-ur-intent" --network sandbox
stopped "$work/npm/node_modules/.bin/say-ur-intent"

echo '== Claude Desktop: each bundle checked, and the one of this system unpacked by the official tool'
mcpb=$top/packaging/node_modules/.bin/mcpb
for bundle in dist/mcpb/*/; do
  "$mcpb" validate "$bundle/manifest.json"
done
"$mcpb" unpack "dist/release/say-ur-intent_${version}_$(go env GOOS)_$(go env GOARCH).mcpb" "$work/bundle" >/dev/null
node packaging/main-job.mjs "$version" --bundle "$work/bundle"
stopped "$work/bundle/server/say-ur-intent"

archive=$(ls dist/release/say-ur-intent_*_"$(go env GOOS)_$(go env GOARCH)".tar.gz 2>/dev/null || true)
if [ -n "$archive" ]; then
  echo '== the archive of this system'
  mkdir "$work/archive"
  tar -xzf "$archive" -C "$work/archive" --strip-components=1
  for file in LICENSE README.md THIRD_PARTY_LICENSES.md shell/say-ur-intent.1 shell/say-ur-intent-client.1 shell/say-ur-intent.bash shell/_say-ur-intent \
    shell/say-ur-intent.fish shell/say-ur-intent.ps1; do
    [ -s "$work/archive/$file" ] || { echo "the archive lacks $file" >&2; exit 1; }
  done
  for program in say-ur-intent say-ur-intent-client; do
    node packaging/main-job.mjs "$version" "$work/archive/$program" --network sandbox
  done
  stopped "$work/archive/say-ur-intent"
  echo '== the lists of contents'
  for list in dist/release/*.cdx.json; do
    node -e '
      const b = JSON.parse(require("fs").readFileSync(process.argv[1]));
      const names = b.components.map((c) => c.name);
      const part = process.argv[1].includes("-client_") ? "golang.org/x/sys" : "modernc.org/sqlite";
      const bare = b.components.filter((c) => !c.licenses?.length);
      if (b.bomFormat !== "CycloneDX" || !names.includes(part) || b.serialNumber || bare.length) process.exit(1);
      console.log(process.argv[1], b.specVersion, names.length, "parts");' "$list"
  done
  grep -q 'sha256 "' dist/release/say-ur-intent.rb
  grep -q 'bin.install "say-ur-intent", "say-ur-intent-client"' dist/release/say-ur-intent.rb
  node -e 'const m = JSON.parse(require("fs").readFileSync("dist/release/say-ur-intent.json")); const a = m.architecture["64bit"]; if (!a.hash || !["say-ur-intent.exe", "say-ur-intent-client.exe"].every((f) => a.bin.some((b) => b.endsWith("/" + f))) || !/ stop/.test(a.pre_uninstall)) process.exit(1)'
  grep -q 'InstallerSha256' dist/release/SayUrIntent.SayUrIntent.installer.yaml
fi

deb=$(ls dist/release/*_linux_"$(go env GOARCH)".deb 2>/dev/null || true)
if [ -n "$deb" ]; then
  echo '== the packages for Linux'
  dpkg-deb --info "$deb" | grep -E '^ (Package|Version|Architecture):'
  dpkg-deb -x "$deb" "$work/deb"
  for program in say-ur-intent say-ur-intent-client; do
    node packaging/main-job.mjs "$version" "$work/deb/usr/bin/$program" --network sandbox
  done
  stopped "$work/deb/usr/bin/say-ur-intent"
  (cd "$work/deb" && find . -type f | sed 's/^\.//' | LC_ALL=C sort) >"$work/deb-files"
  apk=$(ls dist/release/*_linux_"$(go env GOARCH)".apk)
  tar -tzf "$apk" 2>/dev/null | grep '^usr/.*[^/]$' | sed 's,^,/,' | LC_ALL=C sort | diff - "$work/deb-files"
  if command -v rpm >/dev/null; then
    rpm -qlp "$(ls dist/release/*_linux_"$(go env GOARCH)".rpm)" | LC_ALL=C sort | diff - "$work/deb-files"
  else
    echo 'NOT RUN: the files of the rpm, because rpm is not installed' >&2
  fi
fi

echo '== the flake: the hash of the modules'
go run ./packaging/pack -only flake
git diff --exit-code flake.nix || { echo 'run make flake, and commit flake.nix' >&2; exit 1; }

echo '== publishing, as the release workflow does it, to places on this computer'
(cd packaging/tools && go test ./image)
DRY_RUN=1 sh packaging/publish.sh npm dist/release >"$work/published" 2>&1 || { cat "$work/published" >&2; exit 1; }
grep -c '^+ ' "$work/published"
if [ -n "$archive" ]; then
  for kind in tap bucket; do
    git init --quiet --bare "$work/$kind.git"
    git -C "$work" clone --quiet "$work/$kind.git" "$work/$kind" 2>/dev/null
    git -C "$work/$kind" -c user.name=a -c user.email=a@example.org commit --quiet --allow-empty -m first
    git -C "$work/$kind" push --quiet origin HEAD
    sh packaging/publish.sh $kind dist/release "file://$work/$kind.git"
    git -C "$work/$kind.git" log -1 --format=%s --stat
  done
fi

echo '== the image: pushed to a registry on loopback, and read back by its official client'
crane=$(go tool -n -modfile=packaging/tools/go.mod crane)
"$crane" registry serve --address 127.0.0.1:0 >"$work/registry.log" 2>&1 &
registry=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
  port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$work/registry.log" | head -1)
  [ -z "$port" ] || break
  sleep 0.3
done
CRANE="$crane --insecure" sh packaging/publish.sh image dist/release "127.0.0.1:$port/say-ur-intent:check" >/dev/null
"$crane" validate --insecure --remote "127.0.0.1:$port/say-ur-intent:check" --platform "linux/$(go env GOARCH)"
mkdir "$work/root"
"$crane" export --insecure --platform "linux/$(go env GOARCH)" "127.0.0.1:$port/say-ur-intent:check" - | tar -x -C "$work/root"
[ "$(ls "$work/root" | tr '\n' ' ')" = 'home licenses say-ur-intent say-ur-intent-client tmp ' ] || { ls -l "$work/root" >&2; exit 1; }
if [ "$(id -u)" = 0 ]; then
  # Like in a container, no files of this machine are visible.
  chroot --userspec=65532:65532 "$work/root" /say-ur-intent version
  # Without a shell no server can be detached, so both programs serve the client in one process.
  # Like every container, this one has /proc, which is unmounted with its mount namespace.
  mkdir "$work/root/proc"
  if unshare --mount mount -t proc proc "$work/root/proc" 2>/dev/null; then
    for program in say-ur-intent say-ur-intent-client; do
      HOME=/home SAY_UR_INTENT_DATA_DIR=/home/data node packaging/main-job.mjs "$version" \
        "$(command -v unshare)" --mount sh -c 'mount -t proc proc "$1/proc" && exec chroot --userspec=65532:65532 "$@" --network sandbox' \
        sh "$work/root" "/$program"
    done
  else
    echo 'NOT RUN: the main job in the image, because /proc cannot be mounted here' >&2
  fi
fi

echo '== checksums'
(cd dist/release && sha256sum --quiet --check checksums.txt)
[ "$(wc -l <dist/release/checksums.txt)" = "$(($(ls dist/release | wc -l) - 1))" ] || { echo 'checksums.txt lacks a file' >&2; exit 1; }
echo "dist-check: everything that was packed for $system works"
