import { ApiError } from '../../src/client/errors.ts'
import { fixHint } from '../../src/core/error-catalogue.ts'

/** The dashboard shows the lists of valid names itself. */
const NOT_FOUND = 404

/** The sentence of anything that was thrown, with the command that helps. */
export function errorMessage(error: unknown): string {
  if (error instanceof ApiError) {
    const { code, sentence, status } = error
    return status === NOT_FOUND ? sentence : sentence + fixHint(code, sentence)
  }
  return error instanceof Error ? error.message : String(error)
}
