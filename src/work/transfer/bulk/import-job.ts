import type { Actor } from '../../../core/actor.ts'
import type { ApiCode } from '../../../core/error-catalogue.ts'
import { AppError, errorMessage, type FieldError } from '../../../core/errors.ts'
import type { RigPrefix } from '../lines/line.ts'
import type { BulkImported } from './bulk-importer.ts'

/** The import of one file, as passed to a thread. */
export interface ImportJob {
  /** The city's database. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly rigs: readonly RigPrefix[]
  readonly actor: Actor
  /** Time of the recorded events, in milliseconds. */
  readonly now: number
  /** Types of which a part is held in a table of its own. */
  readonly separateTypes: readonly string[]
  /** Its first number is not 0 once the import should be given up. */
  readonly isAbandoned: SharedArrayBuffer
}

/** An error on its way between threads. */
interface SentError {
  readonly code: ApiCode
  readonly status: number
  readonly message: string
  readonly fieldErrors: FieldError[]
}

/** Report of a thread on an import: progress and outcome. */
export type ImportReport =
  | { readonly is: 'under way' }
  | { readonly is: 'done'; readonly imported: BulkImported }
  | { readonly is: 'failed'; readonly error: SentError }

export function toSentError(error: unknown, path: string): SentError {
  const known =
    error instanceof AppError
      ? error
      : new AppError('store-unavailable', `${path} could not be written: ${errorMessage(error)}`)
  const { code, status, message, fieldErrors } = known
  return { code, status, message, fieldErrors }
}

export const toAppError = ({ code, status, message, fieldErrors }: SentError): AppError =>
  new AppError({ code, status }, message, { fieldErrors })
