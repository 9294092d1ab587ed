/** The address of the gateway, without a slash at its end. A proxy may have it below a path. */
export const SERVER = import.meta.url.slice(0, import.meta.url.lastIndexOf('/assets/'))
