import type { CityContext } from '../../../core/city-context.ts'
import { toTimestamp } from '../../../core/clock.ts'
import { parseDuration } from '../../../core/durations.ts'
import { nextTick } from '../../../core/event-loop.ts'
import { parseSearchTerms } from '../../../core/text/index.ts'
import { type Boundary, cursorAfter, parseBoundaryCursor, validationFailed } from '../../../http/respond/index.ts'
import { pageSize } from '../../../http/schema.ts'
import {
  NEWEST,
  type SessionPosition,
  type SessionRepository,
  type SessionResolver,
  type SessionRow,
} from '../../../work/sessions/index.ts'
import type { SpokenEntry } from '../tracking/spoken-entries.ts'
import type { Transcripts } from '../transcripts.ts'
import { excerptOf, searchedText, toWords } from './match.ts'
import type { TranscriptMatch, TranscriptMatches, TranscriptSearch } from './schema.ts'

/** Maximum conversations, bytes and sessions that one request examines. */
const MAX_CONVERSATIONS = 20
const MAX_CHARACTERS = 16 * 1024 * 1024
const MAX_SESSIONS = 500
/** After how many characters others get their turn. */
const CHARACTERS_PER_STEP = 256 * 1024
const SESSIONS_PER_READ = 50

/** One request as it proceeds. */
interface SearchState {
  readonly words: readonly string[]
  /** The earliest time of what is found; 0 for all. */
  readonly since: number
  readonly limit: number
  readonly items: TranscriptMatch[]
  sessions: number
  searched: number
  characters: number
}

/** Something that a session said. */
interface Utterance extends Pick<TranscriptMatch, 'role' | 'entry' | 'sub_agent'> {
  readonly at: number | undefined
  text(): string
}

/** Searches what the sessions of a city said, as their transcripts show it. */
export class TranscriptSearcher {
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly context: CityContext,
    private readonly repository: Pick<SessionRepository, 'page' | 'find'>,
    private readonly resolver: Pick<SessionResolver, 'resolve'>,
    private readonly transcripts: Pick<Transcripts, 'logs' | 'read'>,
  ) {}

  /** A page of matches. Searches of a city follow each other, so that many of them need no more memory than one. */
  find(query: TranscriptSearch, signal: AbortSignal): Promise<TranscriptMatches> {
    const cursor = parseBoundaryCursor(query.cursor)
    const state: SearchState = {
      words: toWords(parseSearchTerms(query.q ?? '')),
      since: this.#startOf(query.since),
      limit: pageSize(query.limit),
      ...{ items: [], sessions: 0, searched: 0, characters: 0 },
    }
    const found = this.#last.then(() =>
      this.#find(this.#sessions(query.session, cursor), cursor?.within, state, signal),
    )
    this.#last = found.catch(() => {})
    return found
  }

  async #find(
    rows: Iterable<SessionRow>,
    start: string | undefined,
    state: SearchState,
    signal: AbortSignal,
  ): Promise<TranscriptMatches> {
    const { words, items } = state
    let within = start
    for (const row of words.length > 0 ? rows : []) {
      if (signal.aborted) break
      within = await this.#searchSession(row, within, state)
      if (within === undefined && !isSpent(state)) continue
      const cursor = cursorAfter({ createdAt: toTimestamp(row.createdAt), id: row.id, ...(within && { within }) })
      return { items, searched: state.searched, next_cursor: cursor }
    }
    return { items, searched: state.searched }
  }

  /** The sessions to search, newest first, from the cursor on. */
  *#sessions(session: string | undefined, cursor: Boundary | undefined): Generator<SessionRow, void, void> {
    const { repository, resolver } = this
    if (session) {
      const row = resolver.resolve(session, { past: true })
      if (!cursor || cursor.within) yield row
      return
    }
    const begun = cursor?.within ? repository.find(cursor.id) : undefined
    if (begun) yield begun
    let after: SessionPosition | undefined = cursor ? positionOf(cursor) : NEWEST
    while (after) {
      const { rows } = repository.page({ states: ['all'] }, after, SESSIONS_PER_READ)
      yield* rows
      after = rows.at(-1)
    }
  }

  /** Adds the matches of a session, from below an entry on; returns the last one when there may be more. */
  async #searchSession(row: SessionRow, below: string | undefined, state: SearchState): Promise<string | undefined> {
    const { words, items, limit, since } = state
    state.sessions++
    if (row.closedAt !== null && row.closedAt < since) return undefined
    state.searched++
    const utterances = await this.#utterances(row, below)
    let unyielded = 0
    for (const { text, at, ...said } of utterances) {
      if (since > 0 && (at ?? 0) < since) continue
      const spoken = text()
      state.characters += spoken.length
      unyielded += spoken.length
      const excerpt = excerptOf(spoken, words)
      if (excerpt !== undefined)
        items.push({ ...sessionOf(row), ...said, ...(at && { timestamp: toTimestamp(at) }), excerpt })
      if (items.length >= limit) return said.entry
      if (unyielded < CHARACTERS_PER_STEP) continue
      unyielded = 0
      await nextTick()
    }
    return undefined
  }

  /** Messages of a session, newest first: the entries of its log, or else its screen. */
  async #utterances(row: SessionRow, below: string | undefined): Promise<Iterable<Utterance>> {
    const { clock } = this.context
    const { transcripts } = this
    const entries = await transcripts.logs.entries(row)
    if (entries) return utterancesBelow(entries, below)
    const output = below === undefined ? await transcripts.read(row).catch(() => undefined) : undefined
    return (output?.turns ?? []).map(({ role, text }) => ({ role, at: clock.now(), text: () => text }))
  }

  #startOf(since: string | undefined): number {
    if (!since) return 0
    const duration = parseDuration(since)
    if (duration !== undefined) return this.context.clock.now() - duration
    const message = 'must be a duration such as 30m, 1h30m or 7d'
    throw validationFailed([{ message, location: 'query.since', value: since }])
  }
}

const isSpent = ({ items, limit, sessions, searched, characters }: SearchState): boolean =>
  items.length >= limit || sessions >= MAX_SESSIONS || searched >= MAX_CONVERSATIONS || characters >= MAX_CHARACTERS

/** The entries that a transcript shows before one of them, the last first; none when that one is gone, as all before it are. */
function* utterancesBelow(
  entries: readonly SpokenEntry[],
  below: string | undefined,
): Generator<Utterance, void, void> {
  const start = below === undefined ? entries.length : entries.findLastIndex(({ id }) => id === below)
  for (let index = start - 1; index >= 0; index--) {
    const spoken = entries[index]
    if (!spoken) continue
    const { entry, id, agent } = spoken
    const { speaker, role = speaker, timestamp: at } = entry
    if (role === undefined || speaker === undefined) continue
    yield { entry: id, role, at, ...(agent && { sub_agent: agent }), text: () => searchedText(entry.blocks()) }
  }
}

const sessionOf = ({ id, alias, sessionName, template }: SessionRow) => ({
  session: id,
  session_name: alias ?? sessionName,
  template,
})

const positionOf = ({ createdAt = '', id }: Boundary): SessionPosition => ({ createdAt: Date.parse(createdAt), id })
