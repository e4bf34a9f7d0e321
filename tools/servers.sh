#!/bin/sh
# Installs Redis and HAProxy, with which the tests run several servers, and says what is missing where that cannot be.
set -u
have() { command -v redis-server >/dev/null && PATH=$PATH:/usr/sbin command -v haproxy >/dev/null; }
have && exit 0
as_root=
[ "$(id -u)" = 0 ] || as_root='sudo -n'
if command -v apt-get >/dev/null && $as_root true 2>/dev/null; then
    $as_root apt-get update
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y redis-server haproxy
fi
have || echo 'The tests of several servers run where redis-server and haproxy are installed; without them they are left out.' >&2
