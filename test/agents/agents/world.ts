import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Agents } from '../../../src/agents/agents/agents.ts'
import { agentRoutes } from '../../../src/agents/agents/routes.ts'
import type { AgentOutput } from '../../../src/agents/agents/schema.ts'
import type { AgentSession, AgentSessions, SessionName } from '../../../src/agents/agents/sessions.ts'
import type { City } from '../../../src/city/city.ts'
import { GitRunner } from '../../../src/config/git/git-runner.ts'
import { RigClones } from '../../../src/config/rigs/rig-clones.ts'
import { Rigs } from '../../../src/config/rigs/rigs.ts'
import { rigRoutes } from '../../../src/config/rigs/routes.ts'
import { configRoutes } from '../../../src/config/routes.ts'
import { AppError } from '../../../src/core/errors.ts'
import type { Caller } from '../../../src/http/caller.ts'
import { serve } from '../../http/serve.ts'
import { testTown } from '../../support/city.ts'
import { TestClock } from '../../support/clock.ts'
import { idleHost } from '../../support/idle-host.ts'

/** Sessions as a list that a test writes, for what no real session shows at will; it keeps what was restarted. */
class InventedSessions implements AgentSessions {
  readonly started: (AgentSession & { agent: string })[] = []
  readonly restarted: string[][] = []
  readonly work = new Map<string, string>()
  missing: string | undefined
  hold: string | undefined

  run(agent: string, identity: string, more: Partial<AgentSession> = {}): void {
    const id = `tc-${this.started.length + 1}`
    this.started.push({
      agent,
      identity,
      id,
      name: `s-${id}`,
      running: true,
      attached: false,
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

  held(): string | undefined {
    return this.hold
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

  async outputOf({ name, session }: SessionName, page: { tail: number; before?: string }): Promise<AgentOutput> {
    if (session === undefined) throw new AppError('agent-not-found', `agent ${name} not running`)
    return { agent: name, format: 'text', turns: [{ role: 'output', text: JSON.stringify(page) }] }
  }

  async followOutput(agent: SessionName) {
    const first = await this.outputOf(agent, { tail: 1 })
    const stopped = !this.started.some(({ id, running }) => id === agent.session && running)
    async function* turns() {
      yield first
      yield { ...first, turns: [{ role: 'output', text: 'more' }] }
    }
    return { stopped, turns: turns() }
  }
}

type JsonBody = Record<string, unknown>

const readJson = async (response: Response): Promise<JsonBody> => (await response.json()) as JsonBody

type Served = Pick<City, 'agents' | 'rigs' | 'clones'>

/** A city that runs no program, on files of a test, and its agents, rigs and configuration behind their routes. */
export const agentsWorld = (files: Record<string, string>) => openWorld(files, (city) => city)

/** The same, except that its agents and rigs show the sessions that the test invents. */
export async function inventedSessionsWorld(files: Record<string, string>) {
  const sessions = new InventedSessions()
  const world = await openWorld(files, ({ store, config, suspensions, clock, deadlines, env, clones }) => ({
    agents: new Agents(store, config, suspensions, sessions, clock),
    rigs: new Rigs(store, config, suspensions, sessions, new GitRunner({ deadlines, env }), clones),
    clones,
  }))
  return { ...world, sessions }
}

/** The same, except that rigs are cloned from any host, also from this machine. */
export const clonesFromAnyHost = (files: Record<string, string>) =>
  openWorld(files, (city) => {
    const git = new GitRunner(city)
    const clones = new RigClones({ ...city, git, isAllowedHost: async () => true })
    const sessions = new InventedSessions()
    return {
      agents: city.agents,
      clones,
      rigs: new Rigs(city.store, city.config, city.suspensions, sessions, git, clones),
    }
  })

async function openWorld(files: Record<string, string>, serviceOf: (city: City) => Served) {
  const clock = new TestClock()
  const town = testTown('', { clock, host: idleHost() })
  const { folder, path, reports } = town
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  for (const [name, text] of Object.entries(files)) put(name, text.replaceAll('$', folder.path))
  const city = await town.open()
  const { agents, rigs, clones } = serviceOf(city)
  const { store, log, config, configViews, suspensions } = city
  let caller: Caller = { kind: 'human' }
  const server = serve({
    routes: [
      ...agentRoutes(() => ({ agents })),
      ...rigRoutes(() => ({ rigs })),
      ...configRoutes(() => ({ configViews })),
    ],
    guard: { resolve: () => caller },
    index: () => log.head,
  })
  const text = (name: string) => readFileSync(join(path, name), 'utf8')
  return {
    ...{ folder, path, put, text, clock, store, log, config, suspensions, rigs, clones, reports, server },
    /** What was recorded since the city was opened. */
    recorded: () => log.after(0, 1000).filter(({ type }) => type !== 'controller.started'),
    /** Every file that people or we write, by name. */
    declared: () =>
      Object.fromEntries(
        readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !/^(city\.db|lock)/.test(entry.name))
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
      await town[Symbol.asyncDispose]()
    },
  }
}
