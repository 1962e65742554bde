/** The stack trace of an error, for the log; never sent to a caller. */
export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
