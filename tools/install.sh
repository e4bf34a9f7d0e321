#!/bin/sh
# Installs what the app needs: by uv, which takes torch's build for this machine (CPU, or the CUDA of its card), where
# uv and torch's own index can be reached; else by pip, as pip is configured.
# usage: install.sh PYTHON REQUIREMENTS
set -u
python=$1 requirements=$2
pip="$python -m pip --disable-pip-version-check"

uv=$(command -v uv) || {
    $pip --timeout 5 --retries 0 install --quiet uv==0.13.8 >/dev/null 2>&1
    uv=$(dirname "$python")/uv
}
by_uv() {
    "$uv" pip install --python "$python" --torch-backend=auto --requirement "$requirements" "$@"
}

# What would be installed is asked for first: where the index is out of reach, that says so in seconds.
if UV_HTTP_TIMEOUT=5 UV_HTTP_CONNECT_TIMEOUT=5 UV_HTTP_RETRIES=0 by_uv --dry-run --quiet >/dev/null 2>&1; then
    by_uv && exit 0
fi
exec $pip install --requirement "$requirements"
