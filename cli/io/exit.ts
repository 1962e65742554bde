import type { CatalogueCode } from '../../src/core/error-catalogue.ts'

/** Ends a command with an exit status and, if it is not empty, a sentence on standard error. */
export class Exit extends Error {
  constructor(
    readonly status: number,
    message = '',
    /** What scripts tell errors apart by, such as `rig-not-found`. */
    readonly code: CatalogueCode | '' = '',
  ) {
    super(message)
    this.name = 'Exit'
  }
}

/** The status of a wrong command line. */
export const USAGE = 2

/** The status of a command that ctrl-c ended. */
export const INTERRUPTED = 130

/** Code of an invalid command line for scripts. */
export const USAGE_CODE = 'usage'

/** A wrong command line: status 2. */
export const usageError = (message: string): Exit => new Exit(USAGE, message, USAGE_CODE)

/** A command that failed: status 1. */
export const failure = (message: string): Exit => new Exit(1, message)

/** An unknown name; the code is that of the server for the same. */
export const notFound = (code: CatalogueCode & `${string}-not-found`, message: string): Exit =>
  new Exit(1, message, code)
