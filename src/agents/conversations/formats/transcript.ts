import type { AgentOutput } from '../../agents/schema.ts'
import type { SessionRow } from '../../sessions/table.ts'
import type { LogReader } from '../entries/log-reader.ts'
import { each, inSlices } from '../entries/slices.ts'
import type { Transcript } from '../structured/transcript.ts'
import { historyOf } from './history.ts'
import { isMessage, toMessage } from './messages.ts'
import { sessionFields, type TranscriptOptions } from './options.ts'
import { type Page, paged } from './page.ts'
import { isTurn, toTurn } from './turns.ts'

/** Takes the entries of a log apart ahead of time, which of many takes long. */
export const unfold = ({ view }: LogReader): Promise<void> => inSlices(each(view.entries, (entry) => entry.blocks()))

/** A part of a log as a transcript in one of three shapes. */
export function transcriptOf(
  row: SessionRow,
  reader: LogReader,
  { format, thinking }: Omit<TranscriptOptions, 'after'>,
  page: Page,
): Transcript {
  if (format === 'structured') return structured(row, reader, thinking, page)
  const raw = format === 'raw'
  const { entries, pagination } = paged(reader.view.entries, page, raw ? () => true : isTurn)
  const rest = pagination && { pagination }
  if (raw) return { ...sessionFields(row), format: 'raw', messages: entries.map((entry) => entry.raw), ...rest }
  const turns = entries.map(toTurn)
  return { ...sessionFields(row), format: 'conversation', ...(turns.length > 0 && { turns }), ...rest }
}

function structured(row: SessionRow, reader: LogReader, thinking: boolean, page: Page): Transcript {
  const all = reader.view.entries.filter(isMessage).map((entry) => toMessage(entry, row.provider, thinking))
  const { entries, pagination } = paged(reader.view.entries, page, isMessage)
  const wanted = new Set(entries.map(({ id }) => id))
  return {
    ...sessionFields(row),
    format: 'structured',
    schema_version: 'session.structured.v1',
    operation: 'snapshot',
    history: historyOf(row, reader, all, thinking),
    structured_messages: all.filter(({ id }) => wanted.has(id)),
    ...(pagination && { pagination }),
  }
}

/** A part of a log as the output of an agent. */
export function outputOf(agent: string, reader: LogReader, page: Page): AgentOutput {
  const { entries, pagination } = paged(reader.view.entries, page, isTurn)
  return { agent, format: 'conversation', turns: entries.map(toTurn), ...(pagination && { pagination }) }
}
