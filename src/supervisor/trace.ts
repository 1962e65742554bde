/** Where a fault of ours came from, for the log; never for a caller. */
export const traceOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
