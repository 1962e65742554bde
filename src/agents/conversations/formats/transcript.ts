import { forEachInSteps, runInSteps } from '../../../programs/entries/index.ts'
import type { LogReader } from '../../../programs/logs/index.ts'
import type { SessionRow } from '../../../work/sessions/index.ts'
import type { AgentOutput, Transcript } from '../schema.ts'
import type { Message } from '../structured/messages.ts'
import { toHistory } from './history.ts'
import { isMessage, toMessage } from './messages.ts'
import { sessionFields, type TranscriptOptions } from './options.ts'
import { type PageRequest, paginate } from './page.ts'
import { isTurn, toTurn } from './turns.ts'

/** Computes the blocks of all entries in steps, since that takes long for many entries. */
export const prepareBlocks = ({ snapshot }: LogReader): Promise<void> =>
  runInSteps(forEachInSteps(snapshot.entries, (entry) => entry.blocks()))

/** A page of a log as a transcript in one of three formats. */
export function toTranscript(
  row: SessionRow,
  reader: LogReader,
  { format, thinking }: Omit<TranscriptOptions, 'after'>,
  page: PageRequest,
  asked: () => readonly Message[],
): Transcript {
  if (format === 'structured') return toStructuredTranscript(row, reader, thinking, page, asked())
  const isRaw = format === 'raw'
  const { entries, pagination } = paginate(reader.snapshot.entries, page, isRaw ? () => true : isTurn)
  const rest = pagination && { pagination }
  if (isRaw) return { ...sessionFields(row), format: 'raw', messages: entries.map((entry) => entry.raw), ...rest }
  const turns = entries.map(toTurn)
  return { ...sessionFields(row), format: 'conversation', ...(turns.length > 0 && { turns }), ...rest }
}

function toStructuredTranscript(
  row: SessionRow,
  reader: LogReader,
  thinking: boolean,
  page: PageRequest,
  asked: readonly Message[],
): Transcript {
  const messages = reader.snapshot.entries.filter(isMessage).map((entry) => toMessage(entry, row.provider, thinking))
  const { entries, pagination } = paginate(reader.snapshot.entries, page, isMessage)
  const ids = new Set(entries.map(({ id }) => id))
  return {
    ...sessionFields(row),
    format: 'structured',
    schema_version: 'session.structured.v1',
    operation: 'snapshot',
    history: toHistory(row, reader, messages, thinking, asked),
    structured_messages: messages.filter(({ id }) => ids.has(id)),
    ...(pagination && { pagination }),
  }
}

/** A page of a log as the output of an agent. */
export function toAgentOutput(agent: string, reader: LogReader, page: PageRequest): AgentOutput {
  const { entries, pagination } = paginate(reader.snapshot.entries, page, isTurn)
  return { agent, format: 'conversation', turns: entries.map(toTurn), ...(pagination && { pagination }) }
}
