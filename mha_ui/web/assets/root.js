// Where the server stands, below whose root all is asked for: four folders above a module, as mha_api.assets serves it.

/** The address of what stands at this path, such as `api/live`, below the server's root. @param {string} path */
export const belowRoot = (path) => new URL(`../../../../${path}`, import.meta.url);
