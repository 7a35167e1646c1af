#!/bin/sh
# npm run test:generators: installs the generators of docs/recipes.md where they are missing (some 400 MB from Debian, as
# much from npm), builds dist/, and runs scripts/generators.mjs.
set -eu
cd "$(dirname "$0")/.."
. scripts/setup.sh
pp_want=
pp_has sphinx-build || pp_want="$pp_want python3-sphinx"
python3 -c 'import myst_parser' 2>/dev/null || pp_want="$pp_want python3-myst-parser"
pp_has mkdocs || pp_want="$pp_want mkdocs"
python3 -c 'import material' 2>/dev/null || pp_want="$pp_want mkdocs-material"
pp_has hugo || pp_want="$pp_want hugo"
pp_has jekyll || pp_want="$pp_want jekyll"
pp_has pandoc || pp_want="$pp_want pandoc"
pp_has unzip || pp_want="$pp_want unzip"
# shellcheck disable=SC2086
[ -z "$pp_want" ] || pp_apt $pp_want || pp_die "missing:$pp_want"
sh build.sh
pp_need_node
pp_find_browsers
mkdir -p build/generators
[ -f build/generators/package.json ] || echo '{ "private": true }' >build/generators/package.json
PATH=$PP_NPM_PATH npm install --prefix build/generators --ignore-scripts --no-audit --no-fund \
    @docusaurus/core@3.10.2 @docusaurus/preset-classic@3.10.2 react@19.2.0 react-dom@19.2.0 \
    vitepress@1.6.4 mystmd@1.8.3 >>"$pp_log" 2>&1 || pp_die "npm could not install the generators (see $pp_log)"
exec node scripts/generators.mjs
