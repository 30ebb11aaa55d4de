#!/bin/sh
# Builds a site from README.md and docs/ into dist/site. It fails if there is a dead link. SITE_BASE
# is the path under which the site is served. It requires Node with npm.
set -eu
cd "$(dirname "$0")/.."
site=packaging/site
if [ ! -f $site/node_modules/.installed ] || [ $site/package-lock.json -nt $site/node_modules/.installed ]; then
  (cd $site && npm ci --no-audit --no-fund --loglevel=error)
  touch $site/node_modules/.installed
fi
# The generator looks for modules in parent directories of the pages, so it gets copies of the pages.
rm -rf $site/pages dist/site
mkdir -p $site/pages/docs/tools
cp ./*.md $site/pages/
cp docs/*.md docs/*.png docs/*.gif docs/*.svg $site/pages/docs/
cp docs/tools/*.md $site/pages/docs/tools/
$site/node_modules/.bin/vitepress build $site
node $site/check.mjs dist/site
