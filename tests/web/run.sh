#!/bin/sh
# The page in a headless browser:  tests/web/run.sh RAMUS [short]
#
# It takes what tools/check-web --prepare made; what is missing is said, and the tests are left out.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
skip() { echo "skipped: $1"; exit 0; }

command -v node >/dev/null || skip 'no node'
node --test "$root/tests/web/lines_test.mjs" >/dev/null || { node --test "$root/tests/web/lines_test.mjs"; exit 1; }

for name in chromium chromium-browser google-chrome; do
    [ -n "${CHROMIUM-}" ] || CHROMIUM=$(command -v "$name") || CHROMIUM=
done
[ -n "$CHROMIUM" ] || skip 'no chromium; tests/web/lines_test.mjs passed'
[ -d "$root/build/web/node_modules/playwright-core" ] || skip 'no playwright-core: tools/check-web --prepare; tests/web/lines_test.mjs passed'
[ -f "$root/build/web/site/index.html" ] || skip 'no build/web/site: make web; tests/web/lines_test.mjs passed'
export CHROMIUM RAMUS="$1"
[ "${2-}" != short ] || export SHORT=1
exec node --test --test-concurrency=1 --test-reporter=spec "$root/tests/web/page_test.mjs" "$root/tests/web/serve_test.mjs"
