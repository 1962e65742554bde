import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Agents } from '../../../src/agents/agents/agents.ts'
import { agentRoutes } from '../../../src/agents/agents/routes.ts'
import type { AgentOutput } from '../../../src/agents/agents/schema.ts'
import type { AgentSession, AgentSessions } from '../../../src/agents/agents/sessions.ts'
import { cityMigrations } from '../../../src/city/database/migrations.ts'
import { Config } from '../../../src/config/config.ts'
import { ConfigViews } from '../../../src/config/config-views.ts'
import { GitRunner } from '../../../src/config/git/git-runner.ts'
import { RigClones } from '../../../src/config/rigs/rig-clones.ts'
import { Rigs } from '../../../src/config/rigs/rigs.ts'
import { rigRoutes } from '../../../src/config/rigs/routes.ts'
import { configRoutes } from '../../../src/config/routes.ts'
import { Suspensions } from '../../../src/config/suspensions/suspensions.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { AppError } from '../../../src/core/errors.ts'
import { EventLog } from '../../../src/core/events/log.ts'
import { Store } from '../../../src/core/store.ts'
import type { Caller } from '../../../src/http/caller.ts'
import { serve } from '../../http/serve.ts'
import { TestClock } from '../../support/clock.ts'
import { tempFolder } from '../../support/folder.ts'

/** Sessions as a list that a test writes; what they are told is kept. */
export class SomeSessions implements AgentSessions {
  readonly started: (AgentSession & { agent: string })[] = []
  readonly restarted: string[][] = []
  readonly work = new Map<string, string>()
  missing: string | undefined

  run(agent: string, identity: string, more: Partial<AgentSession> = {}): void {
    const id = `tc-${this.started.length + 1}`
    this.started.push({
      agent,
      identity,
      id,
      name: `s-${id}`,
      running: true,
      attached: false,
      quarantined: false,
      ...more,
    })
  }

  alter(at: number, more: Partial<AgentSession>): void {
    this.started.splice(at, 1, ...this.started.slice(at, at + 1).map((session) => ({ ...session, ...more })))
  }

  all(): Map<string, AgentSession[]> {
    return Map.groupBy(this.started, ({ agent }) => agent)
  }

  ofAgent(agent: string): AgentSession[] {
    return this.started.filter((session) => session.agent === agent)
  }

  unavailable(): string | undefined {
    return this.missing
  }

  activeBeads(): (names: readonly string[]) => string | undefined {
    return (names) => names.map((name) => this.work.get(name)).find((bead) => bead !== undefined)
  }

  async restartAll(agents: readonly string[]) {
    this.restarted.push([...agents])
    const sessions = this.started.filter(({ agent }) => agents.includes(agent))
    return {
      killed: sessions.filter(({ running }) => running).map(({ name }) => name),
      failed: sessions.filter(({ running }) => !running).map(({ name }) => name),
    }
  }

  async peek(session: string, lines: number): Promise<string> {
    return `${lines} lines of ${session}`
  }

  async outputOf(identity: string, page: { tail: number; before?: string }): Promise<AgentOutput> {
    if (!this.started.some((session) => session.identity === identity)) {
      throw new AppError('agent-not-found', `agent ${identity} not running`)
    }
    return { agent: identity, format: 'text', turns: [{ role: 'output', text: JSON.stringify(page) }] }
  }

  async followOutput(identity: string) {
    const first = await this.outputOf(identity, { tail: 1 })
    const stopped = !this.started.some((session) => session.identity === identity && session.running)
    async function* turns() {
      yield first
      yield { ...first, turns: [{ role: 'output', text: 'more' }] }
    }
    return { stopped, turns: turns() }
  }
}

type JsonBody = Record<string, unknown>

const readJson = async (response: Response): Promise<JsonBody> => (await response.json()) as JsonBody

/** A city's agents and rigs behind their routes, on a folder of their own. */
export async function agentsWorld(
  files: Record<string, string>,
  { isAllowedHost }: { isAllowedHost?: (host: string) => Promise<boolean> } = {},
) {
  const folder = tempFolder()
  const path = folder.at('city')
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  for (const [name, text] of Object.entries(files)) put(name, text.replaceAll('$', folder.path))
  const clock = new TestClock()
  const store = Store.open(folder.at('city', '.gc', 'city.db'), cityMigrations)
  const deadlines = new Deadlines()
  const log = new EventLog(store, clock, deadlines)
  const config = await Config.open(path)
  const suspensions = new Suspensions(store)
  const sessions = new SomeSessions()
  const agents = new Agents(store, config, suspensions, sessions, clock)
  const git = new GitRunner({ deadlines, env: process.env })
  const reports: string[] = []
  const report = (message: string) => reports.push(message)
  const clones = new RigClones({ store, log, clock, config, git, report, ...(isAllowedHost && { isAllowedHost }) })
  const rigs = new Rigs(store, config, suspensions, sessions, git, clones)
  let caller: Caller = { kind: 'human' }
  const server = serve({
    routes: [
      ...agentRoutes(() => ({ agents })),
      ...rigRoutes(() => ({ rigs })),
      ...configRoutes(() => ({ configViews: new ConfigViews(config, suspensions, () => 'http://127.0.0.1:8372') })),
    ],
    guard: { resolve: () => caller },
    index: () => log.head,
  })
  const text = (name: string) => readFileSync(join(path, name), 'utf8')
  return {
    ...{
      folder,
      path,
      put,
      text,
      clock,
      store,
      log,
      config,
      suspensions,
      sessions,
      agents,
      rigs,
      clones,
      reports,
      server,
    },
    /** Every file that people or we write, by name. */
    declared: () =>
      Object.fromEntries(
        readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !entry.name.startsWith('city.db'))
          .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
          .sort()
          .map((name) => [name, text(name)]),
      ),
    /** Requests from now on are this caller's. */
    as: (next: Caller) => {
      caller = next
    },
    get: async (at: string): Promise<JsonBody> =>
      readJson(await server.get(`/v0/city/c/${at}`, { authorization: 'Bearer x' })),
    send: async (method: string, at: string, body?: unknown) => {
      const response = await server.send(method, `/v0/city/c/${at}`, body, { authorization: 'Bearer x' })
      return { status: response.status, body: await readJson(response) }
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await clones.close()
      deadlines.close()
      await store.close()
      folder[Symbol.dispose]()
    },
  }
}
