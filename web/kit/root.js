// The server's root address: modules are served below its /api/, by themselves or bundled.

const ROOT = import.meta.url.replace(/\/api\/(?!.*\/api\/).*$/, "/");

/** The address of a path, such as `api/live`, below the server's root. @param {string} path */
export const belowRoot = (path) => new URL(path, ROOT);
