/** Ends a command with a status of its own and, if there is one, a sentence on standard error. */
export class Exit extends Error {
  constructor(
    readonly status: number,
    message = '',
  ) {
    super(message)
    this.name = 'Exit'
  }
}

/** A command that was called wrongly: status 2. */
export const usageError = (message: string): Exit => new Exit(2, message)

/** A command that cannot go on: status 1. */
export const failure = (message: string): Exit => new Exit(1, message)
