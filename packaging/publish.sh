#!/bin/sh
# Publishes one part of a release from the directory that dist.sh wrote:
#   publish.sh npm DIR               the packages for single systems, then the launcher that needs them
#   publish.sh image DIR NAME        the container image; prints its digest
#   publish.sh tap DIR REMOTE        the Homebrew formula, into a clone of that repository
#   publish.sh bucket DIR REMOTE     the Scoop manifest, into a clone of that repository
# With DRY_RUN=1 it publishes nothing to npm. dist-check.sh runs it with a temporary registry and
# repositories.
set -eu
[ $# -ge 2 ] || { sed -n '2,8s/^# //p' "$0" >&2; exit 2; }
what=$1 dir=$2
version=$(basename "$dir"/say-ur-intent_*_oci.tar _oci.tar)
version=${version#say-ur-intent_}
case $version in *-*) tag=next ;; *) tag=latest ;; esac

# commit adds a file to a directory of a repository and pushes it.
commit() {
  file=$1 into=$2 remote=$3
  clone=$(mktemp -d)
  git clone --quiet --depth 1 "$remote" "$clone"
  mkdir -p "$clone/$into"
  cp "$file" "$clone/$into/"
  git -C "$clone" add "$into"
  if git -C "$clone" diff --cached --quiet; then
    echo "$remote has $version already"
  else
    git -C "$clone" -c user.name='Say Ur Intent releases' -c user.email=sayurintent@users.noreply.github.com \
      commit --quiet -m "say-ur-intent $version"
    git -C "$clone" push --quiet origin HEAD
  fi
  rm -rf "$clone"
}

case $what in
  npm)
    # Without ./ npm would take the path for the name of a repository.
    for file in "$dir"/sayurintent-*.tgz "$dir"/say-ur-intent-*.tgz; do
      case $file in /*) ;; *) file=./$file ;; esac
      if [ "${DRY_RUN:-}" = 1 ]; then
        npm publish --dry-run --access public --tag "$tag" "$file"
      else
        npm publish --provenance --access public --tag "$tag" "$file"
      fi
    done
    ;;
  image)
    layout=$(mktemp -d)
    tar -xf "$dir/say-ur-intent_${version}_oci.tar" -C "$layout"
    ${CRANE:-crane} push --index "$layout" "$3"
    rm -rf "$layout"
    ;;
  tap) commit "$dir/say-ur-intent.rb" Formula "$3" ;;
  bucket) commit "$dir/say-ur-intent.json" bucket "$3" ;;
  *) echo "publish.sh: unknown part $what" >&2; exit 2 ;;
esac
