import type { AgentConfig, NamedSessionConfig } from '../../../config/agents/index.ts'
import type { Config } from '../../../config/compose/index.ts'
import { effectiveOptions, type Provider } from '../../../config/providers/index.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { AppError, errorMessage } from '../../../core/errors.ts'
import type { AcceptedRequest } from '../../../core/requests/index.ts'
import type { Tx } from '../../../core/store/index.ts'
import { lastSegment } from '../../../core/text/index.ts'
import { actorOf } from '../../../http/actor-of.ts'
import type { Caller } from '../../../http/caller.ts'
import type { AsyncAcceptedBody } from '../../../http/schema.ts'
import {
  adhocSessionName,
  checkAlias,
  defaultSessionName,
  instanceName,
  type MessageQueue,
  poolSessionName,
  type SessionCreate,
  type SessionDraft,
  type SessionRepository,
  type SessionResolver,
  type SessionRow,
  sanitize,
} from '../../../work/sessions/index.ts'
import { type CityEnvironment, folderInCity, type LaunchPlanner, providerFolder } from '../../launch/index.ts'
import { CREATE_LIMIT, type SessionRequests } from '../../messaging/index.ts'

/** Creates sessions: for people, for work that waits, and for configured identities. */
export class SessionCreator {
  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      repository: SessionRepository
      resolver: SessionResolver
      config: Pick<Config, 'current'>
      launchPlanner: LaunchPlanner
      requests: SessionRequests
      queue: Pick<MessageQueue, 'add'>
      environment: Pick<CityEnvironment, 'city' | 'path'>
    },
  ) {}

  /**
   * The live session a token names. A configured identity without one gets it now; `check` may throw to prevent that.
   */
  async findOrCreate(
    token: string,
    caller: Caller,
    check: (created: SessionRow) => void = () => {},
  ): Promise<SessionRow> {
    const { store } = this.context
    const { resolver } = this.peers
    const row = resolver.find(token)
    if (row && row.state !== 'closed') return row
    const named = resolver.named(token)
    if (!named) {
      throw new AppError('session-not-found', `session "${token}" not found and not a configured named session`)
    }
    return store.write((tx) => {
      tx.answer(undefined)
      const created = resolver.find(token) ?? this.createNamed(tx, named)
      check(created)
      return created
    }, actorOf(caller))
  }

  /** Accepts a person's session. What is not known immediately, such as a taken alias, its terminal event reports. */
  async create(caller: Caller, body: SessionCreate): Promise<AsyncAcceptedBody> {
    this.#requireConfined(caller, body)
    const draft = this.#draft(body)
    const { store } = this.context
    const { repository, requests, queue } = this.peers
    const cursor = requests.head
    return store.write((tx) => {
      const answer = (request: AcceptedRequest) => requests.answer(request, cursor)
      const taken = draft.alias ? this.aliasTaken(draft.alias) : undefined
      if (taken) {
        const request = requests.accept(tx, 'session.create', '')
        requests.fail(tx, request, 'create_failed', taken)
        return answer(request)
      }
      const row = repository.add(tx, draft)
      const request = requests.accept(tx, 'session.create', row.id)
      const first = row.kind === 'provider' ? body.message?.trim() : undefined
      if (first) queue.add(tx, row.id, first, { request: request.id, limit: CREATE_LIMIT })
      return answer(request)
    }, actorOf(caller))
  }

  /** A session for work that waits, as the given instance of its agent. */
  createPooled(tx: Tx, agent: AgentConfig, slot: number, work: string | undefined): SessionRow {
    const name = instanceName(agent, slot)
    const single = agent.maxActive === 1
    return this.peers.repository.add(tx, {
      ...this.#agentFields(agent, name),
      origin: 'ephemeral',
      title: name,
      sessionName: (id) => (single ? sanitize(name) : poolSessionName(agent.qualified, id)),
      agentName: name,
      alias: single ? name : null,
      slot,
      work: work ?? (agent.scaleCheck ? '' : null),
    })
  }

  /** The session of a configured identity. */
  createNamed(tx: Tx, named: NamedSessionConfig): SessionRow {
    const agent = this.#agent(named.template)
    return this.peers.repository.add(tx, {
      ...this.#agentFields(agent, named.qualified),
      origin: 'named',
      title: named.qualified,
      sessionName: () => sanitize(named.qualified),
      agentName: named.qualified,
      named: named.qualified,
    })
  }

  /** Reason a live session cannot get this alias; undefined when it can. */
  aliasTaken(alias: string, except?: string): string | undefined {
    const { repository, config } = this.peers
    for (const column of ['alias', 'sessionName', 'named', 'agentName'] as const) {
      const other = repository.liveByName(column, alias).find(({ id }) => id !== except)
      if (other) return `conflict: session ${other.id} is called ${alias} already; choose another alias`
    }
    const reserved = config.current.namedSessions.some(({ qualified }) => qualified === alias)
    return reserved
      ? `conflict: ${alias} is configured as the name of another session; choose another alias`
      : undefined
  }

  /** Sessions without an agent must be sandboxed as well; otherwise a sandboxed session could escape by one. */
  #requireConfined(caller: Caller, { kind }: SessionCreate): void {
    const { agents, defaultConfine } = this.peers.config.current
    if (caller.kind !== 'session' || kind !== 'provider' || defaultConfine !== 'off') return
    const agent = agents.find(({ qualified }) => qualified === caller.agent)
    if (!agent || agent.confine === 'off') return
    const why = `${agent.qualified} is confined, and its sessions start sessions of agents only`
    throw new AppError('forbidden', `forbidden: ${why}; name one with kind "agent"`)
  }

  #draft(body: SessionCreate): SessionDraft {
    if (body.kind !== 'agent' && body.kind !== 'provider') {
      throw new AppError('invalid-request', "kind must be 'agent' or 'provider'")
    }
    if (!body.name?.trim()) throw new AppError('invalid-request', 'name is required')
    if (body.session_name !== undefined) {
      throw new AppError('invalid-request', 'session_name is no longer accepted; use alias')
    }
    const draft =
      body.kind === 'agent' ? this.#agentDraft(body, body.name.trim()) : this.#providerDraft(body, body.name.trim())
    const title = body.title?.trim() || titleFrom(body.message) || draft.title
    return { ...draft, title, ...(body.project_id && { project: body.project_id }) }
  }

  #agentDraft(body: SessionCreate, name: string): SessionDraft {
    const agent = this.#agent(name)
    const missing = this.peers.launchPlanner.problem(agent)
    if (missing) throw new AppError('service-unavailable', missing)
    const requested = checkAlias(body.alias ?? '')
    const multiple = agent.maxActive !== 1
    const isRelative = requested !== '' && multiple && agent.dir && !requested.includes('/')
    const alias = isRelative ? `${agent.dir}/${requested}` : requested
    const own = multiple && !alias ? adhocSessionName(agent.qualified) : undefined
    this.#checkOptions(this.peers.launchPlanner.providerOf(agent), agent, body.options)
    return {
      ...this.#agentFields(agent, alias || own || agent.qualified),
      origin: 'manual',
      title: agent.qualified,
      sessionName: (id) => own ?? defaultSessionName(id),
      alias: alias || null,
      options: body.options ?? {},
      firstMessage: body.message?.trim() || null,
    }
  }

  #providerDraft(body: SessionCreate, name: string): SessionDraft {
    const { environment, config } = this.peers
    if (body.async) throw new AppError('invalid-request', 'async is only for kind agent; every create is asynchronous')
    const provider = this.#provider(name)
    const missing = this.peers.launchPlanner.missing(provider)
    if (missing) throw new AppError('service-unavailable', missing)
    this.#checkOptions(provider, undefined, body.options)
    return {
      kind: 'provider',
      template: name,
      rig: '',
      provider: name,
      origin: 'manual',
      workDir: folderInCity(environment.path, providerFolder(name), config.current.defaultConfine),
      title: name,
      sessionName: defaultSessionName,
      alias: checkAlias(body.alias ?? '') || null,
      options: body.options ?? {},
    }
  }

  #agentFields(
    agent: AgentConfig,
    name: string,
  ): Pick<SessionDraft, 'kind' | 'template' | 'rig' | 'provider' | 'workDir'> {
    const { city, path } = this.peers.environment
    const subject = {
      city,
      cityPath: path,
      agent: name,
      template: agent.qualified,
      isSingle: agent.maxActive === 1,
      session: sanitize(name),
      workDir: '',
    }
    const rigPath = this.peers.launchPlanner.rigPath(agent.dir)
    const rig = agent.dir && rigPath ? { rig: agent.dir, rigPath } : {}
    return {
      kind: 'agent',
      template: agent.qualified,
      rig: agent.dir ?? '',
      provider: agent.provider ?? 'command',
      workDir: this.peers.launchPlanner.workDir(agent, { ...subject, ...rig }),
    }
  }

  /** An agent by its qualified name, or by its bare one when only one agent has it. */
  #agent(name: string): AgentConfig {
    const { agents } = this.peers.config.current
    const exact = agents.find(({ qualified }) => qualified === name)
    const bare = name.includes('/') ? [] : agents.filter(({ qualified }) => lastSegment(qualified) === name)
    const agent = exact ?? (bare.length === 1 ? bare[0] : undefined)
    if (agent) return agent
    if (bare.length === 0) throw new AppError('agent-not-found', `agent '${name}' not found`)
    const all = bare.map(({ qualified }) => qualified).join(', ')
    throw new AppError('agent-not-found', `agent '${name}' not found: it may be ${all}; say which`)
  }

  #provider(name: string): Provider {
    try {
      return this.peers.launchPlanner.provider(name)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'provider-not-found') throw error
      throw new AppError('provider-not-found', `provider '${name}' not found: ${errorMessage(error)}`)
    }
  }

  #checkOptions(
    provider: Provider | undefined,
    agent: AgentConfig | undefined,
    options: SessionCreate['options'],
  ): void {
    if (!options || Object.keys(options).length === 0) return
    if (!provider) throw new AppError('invalid-request', 'this agent runs a command of its own, which takes no options')
    effectiveOptions(provider, agent?.optionDefaults, options)
  }
}

/** The beginning of a message, cut between words. */
function titleFrom(message: string | undefined): string {
  const text = message?.trim().replace(/\s+/g, ' ') ?? ''
  const runes = [...text]
  if (runes.length <= 80) return text
  const cut = runes.slice(0, 80).join('')
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 40)).trimEnd()}...`
}
