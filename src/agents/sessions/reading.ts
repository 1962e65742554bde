import { AppError, errorMessage } from '../../core/errors.ts'
import {
  type Boundary,
  cursorAfter,
  fillPage,
  type JsonRows,
  joined,
  parseBoundaryCursor,
  textRows,
} from '../../http/respond/index.ts'
import type { Exchange } from '../../http/route.ts'
import { pageSize } from '../../http/schema.ts'
import type { SseFrame } from '../../http/sse.ts'
import {
  isRunning,
  NEWEST,
  type SessionList,
  type SessionPosition,
  type SessionPrompt,
  type SessionResponse,
  type SessionRow,
  type SubAgent,
  type SubAgents,
  withoutSlash,
} from '../../work/sessions/index.ts'
import {
  openScreen,
  openStream,
  type Transcript,
  type TranscriptFormat,
  type TranscriptMatches,
  type TranscriptQuery,
  type TranscriptSearch,
} from '../conversations/index.ts'
import { type PromptedSession, previewSession } from '../launch/index.ts'
import type { SessionParts } from './parts.ts'
import type { SessionDrifts } from './runtime-schema.ts'
import type { SessionView } from './view.ts'

const DEFAULT_PEEK_LINES = 5

/** Facts about its request that a stream needs to open. */
interface StreamExchange extends Pick<Exchange, 'request' | 'signal' | 'response'> {
  readonly query: { format?: TranscriptFormat; after_cursor?: string; include_thinking?: boolean }
}

/** Reads sessions and their conversations, live and closed, for callers. */
export class SessionReading {
  constructor(private readonly parts: SessionParts) {}

  list(query: SessionQuery): Promise<JsonRows<SessionList>> {
    return listSessions(this.parts, query)
  }

  async get(
    token: string,
    { peek, lines = DEFAULT_PEEK_LINES, styles = false }: { peek?: boolean; lines?: number; styles?: boolean } = {},
  ): Promise<SessionResponse> {
    const { resolver, view } = this.parts
    const row = resolver.resolve(token, { past: true })
    const lastOutput = peek ? await this.peek(row.id, lines, styles) : undefined
    return view.show(row, { lastOutput })
  }

  /** The last lines of a session's screen, or those that its last run ended with; undefined when there are none. */
  async peek(id: string, lines: number, styles = false): Promise<string | undefined> {
    const { repository, host, lastOutputs } = this.parts
    const row = repository.find(id)
    if (!row?.hostKey || !isRunning(row)) return lastOutputs.find(id, lines)
    const { lines: plain, styled: shown = plain } = await host.screen(row.hostKey, lines, styles)
    return shown.slice(-lines).join('\n').trimEnd()
  }

  /** The prompt of a session's agent, rendered for the session; for the newest one, or for the next, of an agent. */
  async prompt(token: string): Promise<SessionPrompt> {
    const row = this.#ofAgent(token) ?? this.parts.resolver.resolve(token)
    const { text, warnings } = await this.parts.prompts.of(row)
    return { agent: row.template, content: text, warnings: [...warnings] }
  }

  /** The newest session of an agent, or its next, or that of an instance; undefined for what names a session, or no agent. */
  #ofAgent(token: string): PromptedSession | undefined {
    const { resolver, repository, launchPlanner } = this.parts
    if (resolver.find(token)) return undefined
    const name = withoutSlash(token)
    const agent = launchPlanner.agent(name)
    const live = repository.live().filter(({ template }) => template === agent?.qualified)
    if (agent) return live.at(-1) ?? previewSession(agent, launchPlanner)
    const instance = launchPlanner.instance(name)
    return instance && (resolver.find(instance.name) ?? previewSession(instance.agent, launchPlanner, instance.name))
  }

  /** Sessions that were started from a declaration that has changed since. */
  drifts(): SessionDrifts {
    return this.parts.drifted.list()
  }

  /** The conversation of a session, live or closed. */
  transcript(token: string, query: TranscriptQuery): Promise<Transcript> {
    const { resolver, transcripts } = this.parts
    return transcripts.get(resolver.resolve(token, { past: true }), query)
  }

  /** Opens the stream of a session's conversation. */
  async stream(token: string, { request, query, signal, response }: StreamExchange): Promise<AsyncIterable<SseFrame>> {
    const { resolver, repository, transcripts } = this.parts
    const row = resolver.resolve(token, { past: true })
    const after = request.headers.get('last-event-id') || query.after_cursor
    const { format, include_thinking: thinking } = query
    const opened = await openStream(
      { transcripts, sessionRepository: repository },
      row,
      { format, after, thinking },
      signal,
    )
    Object.assign(response.headers, opened.headers)
    return opened.frames
  }

  /** Opens the stream of a session's screen. */
  screen(token: string, signal: AbortSignal, styles = false): Promise<AsyncIterable<SseFrame>> {
    const { resolver, repository, transcripts } = this.parts
    const row = resolver.resolve(token, { past: true })
    return openScreen({ transcripts, sessionRepository: repository }, row, styles, signal)
  }

  /** Agents that a session's own agent started; none are known while its program keeps no log that can be read. */
  async subAgents(token: string): Promise<SubAgents> {
    const { resolver, transcripts } = this.parts
    const row = resolver.resolve(token, { past: true })
    return (await transcripts.logs.subAgents(row)) ?? { agents: [] }
  }

  async subAgent(token: string, id: string): Promise<SubAgent> {
    const { transcripts } = this.parts
    const subAgent = await transcripts.logs.subAgent(this.#rowOf(token, id), id)
    if (subAgent) return subAgent
    throw agentNotFound(token, id)
  }

  /** The conversation of a sub-agent, as turns unless another format is asked for. */
  async subAgentTranscript(token: string, id: string, format: TranscriptFormat = 'conversation'): Promise<Transcript> {
    const { transcripts } = this.parts
    const transcript = await transcripts.logs.subAgentTranscript(this.#rowOf(token, id), id, format)
    if (transcript) return transcript
    throw agentNotFound(token, id)
  }

  #rowOf(token: string, agent: string): SessionRow {
    const row = this.parts.resolver.resolve(token, { past: true })
    if (!agent.includes('/') && !agent.includes('..')) return row
    throw new AppError('invalid-request', `"${agent}" cannot name an agent`)
  }

  /** A page of what the sessions of the city said that matches. */
  search(query: TranscriptSearch, signal: AbortSignal): Promise<TranscriptMatches> {
    return this.parts.searcher.find(query, signal)
  }
}

const agentNotFound = (token: string, id: string) =>
  new AppError('agent-not-found', `agent ${id} of session ${token} is not known`)

/** Filter of a list of sessions. */
interface SessionQuery {
  /** States, comma-separated; also `open`, `closed` and `all`. */
  state?: string | undefined
  template?: string | undefined
  peek?: boolean | undefined
  cursor?: string | undefined
  limit?: number | undefined
}

type ListParts = Pick<SessionParts, 'repository' | 'host' | 'lastOutputs' | 'view'>

/** A session of a list as JSON. */
interface SessionText {
  readonly row: SessionRow
  readonly text: string
}

/** A page of sessions, newest first. */
async function listSessions(parts: ListParts, query: SessionQuery): Promise<JsonRows<SessionList>> {
  const boundary = parseBoundaryCursor(query.cursor)
  const states = (query.state ?? '').split(',').flatMap((word) => word.trim() || [])
  const limit = pageSize(query.limit)
  const filter = { states: states.length > 0 ? states : ['open'], template: query.template || undefined }
  const after = boundary ? positionOf(boundary) : NEWEST
  const { rows, total } = parts.repository.page(filter, after, limit + 1)
  const errors: string[] = []
  const shown = query.peek ? await peeked(parts, rows, errors) : plain(parts.view, rows)
  const { items, last } = fillPage(shown, limit, (session) => session, {
    sizeOf: ({ text }) => Buffer.byteLength(text),
  })
  return textRows(joined(items.map(({ text }) => text)), {
    total,
    ...(last && { next_cursor: cursorAfter({ createdAt: createdAtOf(last.row), id: last.row.id }) }),
    ...(errors.length > 0 && { partial: true, partial_errors: errors }),
  })
}

function plain(view: SessionView, rows: readonly SessionRow[]): SessionText[] {
  const { text } = view.of(rows)
  return rows.map((row) => ({ row, text: text(row) }))
}

/** Sessions with the last lines of their screens; reasons screens could not be read go to `errors`. */
function peeked(
  { view, host, lastOutputs }: ListParts,
  rows: readonly SessionRow[],
  errors: string[],
): Promise<SessionText[]> {
  const { show } = view.of(rows)
  const peek = async (row: SessionRow): Promise<SessionResponse> => {
    if (!row.hostKey || !isRunning(row)) return show(row, { lastOutput: lastOutputs.find(row.id, DEFAULT_PEEK_LINES) })
    try {
      const { lines } = await host.screen(row.hostKey, DEFAULT_PEEK_LINES)
      return show(row, { lastOutput: lines.slice(-DEFAULT_PEEK_LINES).join('\n').trimEnd() })
    } catch (error) {
      errors.push(`session ${row.id}: ${errorMessage(error)}`)
      return show(row)
    }
  }
  return Promise.all(rows.map(async (row) => ({ row, text: JSON.stringify(await peek(row)) })))
}

const createdAtOf = (row: SessionRow): string => new Date(row.createdAt).toISOString()

const positionOf = ({ createdAt, id }: Boundary): SessionPosition => ({
  createdAt: createdAt === undefined ? NEWEST.createdAt : Date.parse(createdAt),
  id,
})
