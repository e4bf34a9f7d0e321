#!/bin/sh
# Makes sure that there is a Chromium for the browser tests, and says what is missing where there can be none.
# usage: browser.sh PYTHON, the interpreter that has Playwright
set -u
python=$1

chromium-headless-shell --version >/dev/null 2>&1 && exit 0
chromium --version >/dev/null 2>&1 && exit 0

if command -v apt-get >/dev/null; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root='sudo -n'
    if $as_root true 2>/dev/null; then
        $as_root apt-get update
        for package in chromium-headless-shell chromium; do # the first, without windows, is the faster one
            $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y "$package" fonts-noto-cjk && exit 0
        done
    fi
fi

# Not Debian, or not allowed: Playwright brings a Chromium of its own, where it has one for this system.
"$python" -m playwright install chromium && exit 0

echo 'The browser tests need Chromium: install the packages chromium-headless-shell and fonts-noto-cjk, then run this again.' >&2
exit 1
