/** The name without its folders: `worker` of `web/worker`. */
export const lastSegment = (name: string): string => name.slice(name.lastIndexOf('/') + 1)
