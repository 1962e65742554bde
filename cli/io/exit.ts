/** Ends a command with an exit status and, if it is not empty, a sentence on standard error. */
export class Exit extends Error {
  constructor(
    readonly status: number,
    message = '',
  ) {
    super(message)
    this.name = 'Exit'
  }
}

/** A wrong command line: status 2. */
export const usageError = (message: string): Exit => new Exit(2, message)

/** A command that failed: status 1. */
export const failure = (message: string): Exit => new Exit(1, message)
