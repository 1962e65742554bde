import { previewSession } from '../../lifecycle/agent-preview.ts'
import type { Launcher } from '../../lifecycle/launcher.ts'
import type { PromptedSession } from '../../lifecycle/prompt-subjects.ts'
import type { Prompts } from '../../lifecycle/prompts.ts'
import type { SessionHost } from '../host.ts'
import type { SessionRepository } from '../repository.ts'
import { type SessionResolver, withoutSlash } from '../resolver.ts'
import { isRunning } from '../running.ts'
import type { SessionList, SessionPrompt, SessionResponse } from '../schema.ts'
import { listSessions, type SessionQuery } from './list-sessions.ts'
import type { SessionView } from './view.ts'

interface SessionReaderOptions {
  host: Pick<SessionHost, 'screen'>
  repository: SessionRepository
  resolver: SessionResolver
  launcher: Launcher
  prompts: Prompts
  view: SessionView
}

const DEFAULT_PEEK_LINES = 5

/** Reads sessions for callers. */
export class SessionReader {
  constructor(private readonly options: SessionReaderOptions) {}

  list(query: SessionQuery): Promise<SessionList> {
    return listSessions(this.options, query)
  }

  async get(
    token: string,
    { peek, lines = DEFAULT_PEEK_LINES }: { peek?: boolean; lines?: number } = {},
  ): Promise<SessionResponse> {
    const { resolver, view } = this.options
    const row = resolver.resolve(token, { past: true })
    const lastOutput = peek ? await this.peek(row.id, lines) : undefined
    return view.show(row, { ...(lastOutput !== undefined && { lastOutput }) })
  }

  /** The last lines of a session's screen; undefined when it does not run. */
  async peek(id: string, lines: number): Promise<string | undefined> {
    const { repository, host } = this.options
    const row = repository.find(id)
    if (!row?.hostKey || !isRunning(row)) return undefined
    const screen = await host.screen(row.hostKey, lines)
    return screen.lines.slice(-lines).join('\n').trimEnd()
  }

  /** The prompt of a session's agent, rendered for the session; for the newest one, or for the next, of an agent. */
  async prompt(token: string): Promise<SessionPrompt> {
    const row = this.#ofAgent(token) ?? this.options.resolver.resolve(token)
    const { text, warnings } = await this.options.prompts.of(row)
    return { agent: row.template, content: text, warnings: [...warnings] }
  }

  /** The newest session of an agent, or its next, or that of an instance; undefined for what names a session, or no agent. */
  #ofAgent(token: string): PromptedSession | undefined {
    const { resolver, repository, launcher } = this.options
    if (resolver.find(token)) return undefined
    const name = withoutSlash(token)
    const agent = launcher.agent(name)
    const live = repository.live().filter(({ template }) => template === agent?.qualified)
    if (agent) return live.at(-1) ?? previewSession(agent, launcher)
    const instance = launcher.instance(name)
    return instance && (resolver.find(instance.name) ?? previewSession(instance.agent, launcher, instance.name))
  }
}
