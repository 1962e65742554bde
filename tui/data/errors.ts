import { ApiError } from '../../src/client/errors.ts'

/** The sentence of anything that was thrown. */
export function errorMessage(error: unknown): string {
  if (error instanceof ApiError) return error.sentence
  return error instanceof Error ? error.message : String(error)
}
