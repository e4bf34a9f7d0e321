#!/bin/sh
# Installs Firefox and WebKit for the long run, where that can be done; without them their tests are left out.
set -u
command -v firefox-esr >/dev/null && command -v WebKitWebDriver >/dev/null && command -v Xvfb >/dev/null && exit 0
as_root=
[ "$(id -u)" = 0 ] || as_root='sudo -n'
if command -v apt-get >/dev/null && $as_root true 2>/dev/null; then
    $as_root apt-get update
    for package in firefox-esr webkit2gtk-driver xvfb; do
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y "$package"
    done
fi
echo 'The long run tries Firefox and WebKit where firefox-esr, webkit2gtk-driver and xvfb are installed.' >&2
