import type { SessionRow } from '../../sessions/table.ts'
import type { TranscriptFormat } from '../structured/transcript.ts'

/** How a reader wants a conversation shown. */
export interface TranscriptOptions {
  readonly format: TranscriptFormat
  readonly thinking: boolean
  /** What a structured reader has seen already. */
  readonly after: string
}

/** The fields that every transcript and frame begins with. */
export const sessionFields = ({ id, template, provider }: SessionRow) => ({ id, template, provider })
