"""What all tests of pages share: Streamlit looks through the machine's packages for components only once."""

from __future__ import annotations

from functools import cache

from streamlit.components.v2 import manifest_scanner

# It would at every run of a page, for longer than the page takes. No test installs a package.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
