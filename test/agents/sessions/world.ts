import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Parking } from '../../../src/agents/lifecycle/parking.ts'
import { Reconciler } from '../../../src/agents/lifecycle/reconciler.ts'
import type { SessionHost } from '../../../src/agents/sessions/host.ts'
import { SessionRepository } from '../../../src/agents/sessions/repository.ts'
import { AgentSessionDirectory } from '../../../src/agents/sessions/service/agent-session-directory.ts'
import { openAssignees, openSessions } from '../../../src/agents/sessions/service/open-sessions.ts'
import { hashOf } from '../../../src/agents/sessions/tokens.ts'
import { ownerStateOf } from '../../../src/agents/worktrees/owner-state.ts'
import { Worktrees } from '../../../src/agents/worktrees/worktrees.ts'
import { cityMigrations } from '../../../src/city/database/migrations.ts'
import { Config } from '../../../src/config/config.ts'
import { Suspensions } from '../../../src/config/suspensions/suspensions.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import type { RecordedEvent } from '../../../src/core/events/event.ts'
import { EventLog } from '../../../src/core/events/log.ts'
import { Reactions } from '../../../src/core/events/reactions.ts'
import { Requests } from '../../../src/core/requests/requests.ts'
import { Store } from '../../../src/core/store.ts'
import type { Host } from '../../../src/host/client/client.ts'
import type { SessionCaller } from '../../../src/http/caller.ts'
import { Beads } from '../../../src/work/beads/beads.ts'
import type { BeadDraft } from '../../../src/work/beads/draft.ts'
import { BeadReader } from '../../../src/work/beads/reader.ts'
import { BeadRepository } from '../../../src/work/beads/repository.ts'
import { Claims } from '../../../src/work/claims/claims.ts'
import { ClaimManager } from '../../../src/work/claims/manager.ts'
import { type HostWorld, hostWorld } from '../../host/world.ts'
import { type TempFolder, tempFolder } from '../../support/folder.ts'
import { until } from '../../support/until.ts'

/** An agent that says who it is, keeps its token in a file, and then runs a script. */
export const agent = (name: string, script: string, more = ''): string => `
[[agent]]
name = "${name}"
start_command = '''echo "$GC_SESSION_ID" "$GC_AGENT"; printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"; ${script}'''
${more}
`

/** Waits for whatever comes, and goes when it is told to. */
export const WAITS = 'exec sleep 600'

const parts = (folder: TempFolder, home: string, host: SessionHost, config: Config, path: string) => {
  const store = Store.open(folder.at('city', '.gc', 'city.db'), cityMigrations)
  const faults: string[] = []
  const report = (fault: unknown) => faults.push(String(fault))
  const clock = systemClock
  const deadlines = new Deadlines(clock, undefined, report)
  const log = new EventLog(store, clock, deadlines)
  const reactions = new Reactions(store, log, deadlines, report)
  const reader = new BeadReader(store)
  const beads = new BeadRepository({ store, log, clock, scope: config, reader })
  const claimManager = new ClaimManager({ store, log, clock, beads })
  const suspensions = new Suspensions(store)
  const requests = new Requests(store, log, clock)
  const environment = { city: 'mill', path, home, url: () => 'http://127.0.0.1:1', bin: 'gc', env: process.env }
  const base = { store, log, clock, deadlines, config, beads, host, report }
  const repository = new SessionRepository(store, beads, clock)
  const worktrees = new Worktrees({
    ...{ store, log, reactions, clock, deadlines, config, env: process.env, report },
    ownerState: (id) => ownerStateOf(repository.find(id)),
  })
  const sessions = openSessions({
    ...base,
    repository,
    reactions,
    requests,
    claims: claimManager,
    environment,
    worktrees,
  })
  const { operations, ...internals } = sessions
  const assignees = openAssignees(sessions)
  const beadService = new Beads({ city: 'mill', store, clock, reader, repository: beads, assignees })
  const claims = new Claims({ ...base, city: 'mill', manager: claimManager, workers: operations.credentials })
  const letters: string[] = []
  const tell = (_: unknown, subject: string, body: string) => void letters.push(`${subject}\n${body}`)
  const parking = new Parking({ ...base, failures: sessions.failures, notify: tell })
  const reconciler = new Reconciler({ ...base, ...sessions, city: 'mill', suspensions, parking })
  const agentSessions = new AgentSessionDirectory({
    ...{ ...sessions, clock, control: operations.control, reader: operations.reader },
    budgets: { blocks: () => undefined },
  })
  return {
    ...{ ...base, ...internals, worktrees, letters, parking, reactions, claims, suspensions, reconciler, faults },
    ...{ agentSessions, beadService, sessions: operations },
  }
}

/** A city called mill whose agents run in a real host. */
export class CityWorld implements AsyncDisposable {
  readonly folder = tempFolder()
  readonly hosts: HostWorld = hostWorld()
  #host: Host | undefined
  #up: ReturnType<typeof parts> | undefined
  #seen = 0

  static async open(agents: string): Promise<CityWorld> {
    const world = new CityWorld()
    mkdirSync(world.folder.at('city'), { recursive: true })
    world.declare(agents)
    await world.up()
    return world
  }

  declare(agents: string): void {
    writeFileSync(this.folder.at('city', 'city.toml'), `[workspace]\nname = "mill"\nprefix = "mi"\n${agents}`)
  }

  get city(): ReturnType<typeof parts> {
    if (!this.#up) throw new Error('the city is down')
    return this.#up
  }

  get host(): Host {
    if (!this.#host) throw new Error('the city is down')
    return this.#host
  }

  /** Brings the city up, as a supervisor does that starts. */
  async up(): Promise<void> {
    this.#host = await this.hosts.connect()
    const config = await Config.open(this.folder.at('city'))
    this.#up = parts(this.folder, this.hosts.home, this.#host, config, this.folder.at('city'))
    this.#up.reactions.start()
    await this.#up.reconciler.start()
  }

  /** Lets go of everything and leaves the agents to the host, as a supervisor does that is ended. */
  async down(): Promise<void> {
    await this.city.reconciler.close()
    await this.city.reactions.stop()
    this.city.deadlines.close()
    await this.city.store.close()
    this.host.close()
    this.#up = undefined
  }

  add(draft: BeadDraft): Promise<{ id: string }> {
    return this.city.store.write((tx) => this.city.beads.add(tx, draft))
  }

  /** A bead that waits for an agent. */
  work(title: string, to: string): Promise<{ id: string }> {
    return this.add({ title, metadata: { 'gc.routed_to': to } })
  }

  /** The next event that fits, counted from the last one this returned. */
  async event(
    type: string,
    fits: (recorded: RecordedEvent) => boolean = () => true,
    ms = 20_000,
  ): Promise<RecordedEvent> {
    const { log } = this.city
    const { promise, resolve, reject } = Promise.withResolvers<RecordedEvent>()
    const look = () => {
      const found = log.after(this.#seen, 100_000).find((one) => one.type === type && fits(one))
      if (found) resolve(found)
    }
    const stop = log.subscribe(look)
    const late = AbortSignal.timeout(ms)
    const over = () => reject(new Error(`no ${type} in ${ms} ms; ${this.recorded().join(', ')}`))
    late.addEventListener('abort', over)
    look()
    try {
      const found = await promise
      this.#seen = found.seq
      return found
    } finally {
      stop()
      late.removeEventListener('abort', over)
    }
  }

  /** The types of all events recorded so far, those of beads and of what was done to programs left out. */
  recorded(): string[] {
    const all = this.city.log.after(0, 100_000)
    return all
      .filter(({ type }) => !/^(bead|worker)\./.test(type))
      .map(({ type, subject }) => `${type} ${subject ?? ''}`.trim())
  }

  /** The keys of what runs in the host. */
  async running(): Promise<string[]> {
    return (await this.host.list()).flatMap(({ key, state }) => (state === 'exited' ? [] : [key]))
  }

  /** The token a running session was given. */
  async token(id: string): Promise<string> {
    const file = `${this.hosts.home}/token.${id}`
    await until(() => existsSync(file) && readFileSync(file, 'utf8').length === 68)
    return readFileSync(file, 'utf8')
  }

  async caller(id: string): Promise<SessionCaller> {
    const caller = this.city.sessions.credentials.caller(hashOf(await this.token(id)))
    if (!caller || caller === 'ended') throw new Error(`the token of ${id} is ${caller ?? 'unknown'}`)
    return caller
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#up?.reconciler.close()
    await this.#host?.shutdown({ grace: 200 }).catch(() => {})
    if (this.#up) await this.down().catch(() => {})
    await this.hosts[Symbol.asyncDispose]()
    this.folder[Symbol.dispose]()
  }
}
