import { errorMessage } from '../../core/errors.ts'
import type { SessionHost } from '../../host/client/index.ts'
import {
  type Boundary,
  cursorAfter,
  fillPage,
  type JsonRows,
  joined,
  parseBoundaryCursor,
  textRows,
} from '../../http/respond/index.ts'
import { pageSize } from '../../http/schema.ts'
import {
  isRunning,
  NEWEST,
  type SessionList,
  type SessionPosition,
  type SessionPrompt,
  type SessionRepository,
  type SessionResolver,
  type SessionResponse,
  type SessionRow,
  withoutSlash,
} from '../../work/sessions/index.ts'
import type { LastOutputs } from '../conversations/index.ts'
import { type LaunchPlanner, type PromptedSession, type Prompts, previewSession } from '../launch/index.ts'
import type { SessionView } from './view.ts'

interface SessionReaderOptions {
  host: Pick<SessionHost, 'screen'>
  repository: SessionRepository
  resolver: SessionResolver
  launchPlanner: LaunchPlanner
  prompts: Prompts
  lastOutputs: Pick<LastOutputs, 'find'>
  view: SessionView
}

const DEFAULT_PEEK_LINES = 5

/** Reads sessions for callers. */
export class SessionReader {
  constructor(private readonly options: SessionReaderOptions) {}

  list(query: SessionQuery): Promise<JsonRows<SessionList>> {
    return listSessions(this.options, query)
  }

  async get(
    token: string,
    { peek, lines = DEFAULT_PEEK_LINES, styles = false }: { peek?: boolean; lines?: number; styles?: boolean } = {},
  ): Promise<SessionResponse> {
    const { resolver, view } = this.options
    const row = resolver.resolve(token, { past: true })
    const lastOutput = peek ? await this.peek(row.id, lines, styles) : undefined
    return view.show(row, { lastOutput })
  }

  /** The last lines of a session's screen, or those that its last run ended with; undefined when there are none. */
  async peek(id: string, lines: number, styles = false): Promise<string | undefined> {
    const { repository, host, lastOutputs } = this.options
    const row = repository.find(id)
    if (!row?.hostKey || !isRunning(row)) return lastOutputs.find(id, lines)
    const { lines: plain, styled: shown = plain } = await host.screen(row.hostKey, lines, styles)
    return shown.slice(-lines).join('\n').trimEnd()
  }

  /** The prompt of a session's agent, rendered for the session; for the newest one, or for the next, of an agent. */
  async prompt(token: string): Promise<SessionPrompt> {
    const row = this.#ofAgent(token) ?? this.options.resolver.resolve(token)
    const { text, warnings } = await this.options.prompts.of(row)
    return { agent: row.template, content: text, warnings: [...warnings] }
  }

  /** The newest session of an agent, or its next, or that of an instance; undefined for what names a session, or no agent. */
  #ofAgent(token: string): PromptedSession | undefined {
    const { resolver, repository, launchPlanner } = this.options
    if (resolver.find(token)) return undefined
    const name = withoutSlash(token)
    const agent = launchPlanner.agent(name)
    const live = repository.live().filter(({ template }) => template === agent?.qualified)
    if (agent) return live.at(-1) ?? previewSession(agent, launchPlanner)
    const instance = launchPlanner.instance(name)
    return instance && (resolver.find(instance.name) ?? previewSession(instance.agent, launchPlanner, instance.name))
  }
}

/** Filter of a list of sessions. */
interface SessionQuery {
  /** States, comma-separated; also `open`, `closed` and `all`. */
  state?: string | undefined
  template?: string | undefined
  peek?: boolean | undefined
  cursor?: string | undefined
  limit?: number | undefined
}

const PEEK_LINES = 5

interface ListSessionsOptions {
  repository: SessionRepository
  view: SessionView
  host: Pick<SessionHost, 'screen'>
  lastOutputs: Pick<LastOutputs, 'find'>
}

/** A session of a list as JSON. */
interface SessionText {
  readonly row: SessionRow
  readonly text: string
}

/** A page of sessions, newest first. */
async function listSessions(options: ListSessionsOptions, query: SessionQuery): Promise<JsonRows<SessionList>> {
  const boundary = parseBoundaryCursor(query.cursor)
  const states = (query.state ?? '').split(',').flatMap((word) => word.trim() || [])
  const limit = pageSize(query.limit)
  const filter = { states: states.length > 0 ? states : ['open'], template: query.template || undefined }
  const after = boundary ? positionOf(boundary) : NEWEST
  const { rows, total } = options.repository.page(filter, after, limit + 1)
  const errors: string[] = []
  const shown = query.peek ? await peeked(options, rows, errors) : plain(options.view, rows)
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
  { view, host, lastOutputs }: ListSessionsOptions,
  rows: readonly SessionRow[],
  errors: string[],
): Promise<SessionText[]> {
  const { show } = view.of(rows)
  const peek = async (row: SessionRow): Promise<SessionResponse> => {
    if (!row.hostKey || !isRunning(row)) return show(row, { lastOutput: lastOutputs.find(row.id, PEEK_LINES) })
    try {
      const { lines } = await host.screen(row.hostKey, PEEK_LINES)
      return show(row, { lastOutput: lines.slice(-PEEK_LINES).join('\n').trimEnd() })
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
