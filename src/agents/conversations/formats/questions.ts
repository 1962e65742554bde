import { describeOutcome, type QuestionRow, questionId } from '../../questions/index.ts'
import type { Transcript } from '../schema.ts'
import type { Message } from '../structured/messages.ts'

/** A transcript with what its program asked on its screen, each question where it came up, with the outcome of it. */
export function withQuestions(transcript: Transcript, rows: readonly QuestionRow[]): Transcript {
  const asked = rows.filter(isOnScreen)
  if (asked.length === 0 || transcript.format === 'raw') return transcript
  if (transcript.format === 'structured') {
    const messages = merged(transcript.structured_messages, asked.map(toMessage), isWhole(transcript))
    return { ...transcript, structured_messages: messages }
  }
  const { turns = [] } = transcript
  return { ...transcript, turns: merged(turns, asked.map(toTurn), isWhole(transcript)) }
}

/** Screen questions of a program, as messages of the structured format. */
export const toMessages = (rows: readonly QuestionRow[]): Message[] => rows.filter(isOnScreen).map(toMessage)

const isOnScreen = ({ by }: QuestionRow): boolean => by === 'screen'

interface Timed {
  timestamp?: string
}

/** Ends of the conversation that the page includes. */
interface Ends {
  start: boolean
  end: boolean
}

const isWhole = ({ pagination }: Pick<Transcript, 'pagination'>): Ends => ({
  start: !pagination?.has_older_messages,
  end: !pagination?.has_newer_messages,
})

const WHOLE: Ends = { start: true, end: true }

/** Puts what was asked where it belongs by time; what lies before or behind a page is left out. */
export function merged<T extends Timed>(items: readonly T[], asked: readonly T[], { start, end } = WHOLE): T[] {
  const times = items.map(({ timestamp }) => Date.parse(timestamp ?? ''))
  const known = times.filter((time) => !Number.isNaN(time))
  const [first = Number.NEGATIVE_INFINITY, last = Number.POSITIVE_INFINITY] = [known[0], known.at(-1)]
  const result = [...items]
  for (const each of asked.toReversed()) {
    const at = Date.parse(each.timestamp ?? '')
    if ((!start && at < first) || (!end && at > last)) continue
    const after = times.findLastIndex((time) => time <= at)
    result.splice(after + 1, 0, each)
  }
  return result
}

function toTurn(row: QuestionRow) {
  const { question, folder, beadId } = row
  const where = beadId === null ? folder : `${folder}, over bead ${beadId}`
  const words = row.choice?.words === undefined ? [] : [`with the words: ${row.choice.words}`]
  const about = question.text === '' ? [] : [question.text]
  const text = [...about, question.prompt, `(${describeOutcome(row)}; in ${where})`, ...words].join('\n')
  return { role: 'system', text, timestamp: question.since }
}

const STATES = { open: 'pending', answering: 'pending', answered: 'answered', gone: 'cancelled' } as const

function toMessage(row: QuestionRow): Message {
  const { question, state, choice } = row
  const { kind, text, options, since } = question
  const prompt = text === '' ? question.prompt : `${text}\n\n${question.prompt}`
  const by = state === 'answered' ? ` (${describeOutcome(row)}; in ${row.folder})` : ''
  return {
    role: 'system' as const,
    id: questionId(row),
    status: state === 'open' || state === 'answering' ? ('partial' as const) : ('final' as const),
    timestamp: since,
    blocks: [
      {
        type: 'interaction' as const,
        interaction: {
          ...{ state: STATES[state], request_id: row.request, kind, prompt: `${prompt}${by}` },
          options: options.map(({ label }) => label),
          ...(state === 'answered' && choice && { action: choice.label }),
        },
      },
    ],
  }
}
