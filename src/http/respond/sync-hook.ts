/**
 * A hook that Elysia calls without awaiting its result. Elysia compiles a hook by its source text, which a minifier
 * rewrites, and awaits every hook whose text ends in a call: one more tick of the event loop for each response. `source`
 * is the text it sees instead; it names the parameters that the hook reads.
 */
export const syncHook = <Hook extends (...given: never[]) => unknown>(source: string, hook: Hook): Hook =>
  Object.assign(hook, { toString: () => source })
