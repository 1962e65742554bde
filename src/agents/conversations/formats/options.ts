import type { SessionRow } from '../../../work/sessions/index.ts'
import type { TranscriptFormat } from '../schema.ts'

/** Display options of a conversation. */
export interface TranscriptOptions {
  readonly format: TranscriptFormat
  readonly thinking: boolean
  /** The resume token of a structured reader. */
  readonly after: string
}

/** The fields of the session in every transcript and frame. */
export const sessionFields = ({ id, template, provider }: SessionRow) => ({ id, template, provider })
