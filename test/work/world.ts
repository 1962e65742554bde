import { mkdirSync } from 'node:fs'
import type { City } from '../../src/city/city.ts'
import { query } from '../../src/core/store/index.ts'
import type { Store } from '../../src/core/store/store.ts'
import { hashToken } from '../../src/core/text/credentials.ts'
import type { SessionCaller } from '../../src/http/caller.ts'
import { human } from '../../src/http/guard.ts'
import type { BeadDraft } from '../../src/work/beads/draft.ts'
import type { Bead } from '../../src/work/schema.ts'
import { type ScriptedTown, scriptedTown } from '../support/city.ts'

export { human }

const agent = (pools: Pools, name: string, dir?: string) => `[[agent]]
name = "${name}"
${dir === undefined ? '' : `dir = "${dir}"\n`}start_command = "true"
session = "acp"
max_active_sessions = ${pools[dir === undefined ? name : `${dir}/${name}`] ?? 0}
`

/** Number of sessions of an agent gc starts automatically for work that that is routed to it. */
type Pools = Readonly<Record<string, number>>

/** Rigs, agents, and named sessions that start when they are needed. Without a pool, only people start sessions. */
export const declaration = (pools: Pools = {}) => `
[daemon]
max_wakes_per_tick = 100
[[rigs]]
name = "press"
path = "../press"
prefix = "pr"
[[rigs]]
name = "saw"
path = "../saw"
prefix = "sa"
${agent(pools, 'hand', 'press')}${agent(pools, 'hand', 'saw')}${agent(pools, 'lead', 'press')}${agent(pools, 'clerk')}${agent(pools, 'chief')}
[[named_session]]
name = "mayor"
template = "chief"
[[named_session]]
name = "warden"
dir = "press"
template = "lead"
`

/** A town whose city has the rigs press and saw. */
export function workTown(toml = declaration()): ScriptedTown {
  const town = scriptedTown(toml)
  for (const rig of ['press', 'saw']) mkdirSync(town.folder.at(rig))
  return town
}

/** A message of gc itself to a session. */
interface Nudge {
  session: string
  name: string
  text: string
  state: 'queued' | 'typing' | 'delivered' | 'failed'
}

interface WorkOptions {
  /** Declarations of the city. */
  toml?: string
  /** A town that is left in place, so that its city can be opened again. */
  town?: ScriptedTown
}

/** Opens the city of a town. */
export async function openWork({ toml, town: given }: WorkOptions = {}) {
  const town = given ?? workTown(toml)
  const city = await town.open()
  const { store, log, beadRepository, reactions, reconciler, drainUnits, sessions, sessionRepository } = city
  const { host, clock } = town
  const lent = new Map<string, string>()
  const messages = query<Nudge>(
    'SELECT session_id AS session, request_id AS name, body AS text, state FROM session_messages ORDER BY id',
  )
  let seen = log.head
  const token = (id: string): string =>
    lent.get(id) ?? host.starts.findLast(({ env }) => env.GC_SESSION_ID === id)?.env.GC_TOKEN ?? ''
  const work = {
    ...city,
    town,
    host,
    clock,
    errors: town.reports,
    add: (draft: BeadDraft): Promise<Bead> => store.write((tx) => beadRepository.add(tx, draft)),
    /** A session that a person started of an agent, which runs. */
    session: (alias: string, agent?: string) => startSession(city, alias, agent),
    /** A configured named session, which runs. */
    async namedSession(name: string) {
      const { id = '' } = await sessions.running.wake(name, human)
      await reconciler.settle()
      return sessionRepository.get(id)
    },
    /** A session whose program is outside of gc. */
    async lentSession(alias: string) {
      const { id } = await startSession(city, alias)
      await sessions.running.suspend(id, human)
      lent.set(id, (await sessions.running.lend(id, human)).token)
      return sessionRepository.get(id)
    },
    /** The token that the program of a session was given last. */
    token,
    /** A session as its requests show it. */
    caller(id: string): SessionCaller {
      const caller = city.credentials.caller(hashToken(token(id)))
      if (caller === undefined || caller === 'ended') throw new Error(`the token of ${id} is ${caller ?? 'unknown'}`)
      return caller
    },
    /** The program of a session exits automatically. */
    exit: (id: string, exitCode = 0): Promise<void> => host.exit(sessionRepository.get(id).hostKey ?? '', exitCode),
    /** Messages to programs, oldest first; withdrawn and undeliverable ones have failed. */
    nudges: (): Nudge[] => store.all(messages),
    /**
     * The types and subjects of the events that were recorded since the last call, but for those that announce what
     * waits for a person: they follow on their own, a little later.
     */
    recorded(): string[] {
      const events = log.after(seen, 100_000).filter(({ type }) => !type.startsWith('attention.'))
      seen = log.head
      return events.map((recorded) => `${recorded.type} ${recorded.subject}`)
    },
    /** The newest event, but for those that announce what waits for a person. */
    last: () => log.after(0, 100_000).findLast(({ type }) => !type.startsWith('attention.')),
    /** Resolves once the reactions have followed everything that was recorded, and sessions are as requested. */
    async settled(): Promise<void> {
      await store.write(() => {})
      await reactions.whenIdle()
      await drainUnits.whenIdle()
      await reactions.whenIdle()
      await reconciler.settle()
      await reactions.whenIdle()
    },
    async [Symbol.asyncDispose]() {
      await (given ? city.close({ endSessions: false }) : town[Symbol.asyncDispose]())
    },
  }
  await work.settled()
  work.recorded()
  return work
}

/** In a rig, a chosen name becomes the second part of the alias, so that the session is renamed. */
async function startSession({ sessions, reconciler, sessionRepository }: City, alias: string, name = 'press/hand') {
  await sessions.creating.create(human, { kind: 'agent', name, alias })
  await reconciler.settle()
  const created = sessionRepository.live().find((row) => row.alias?.split('/').at(-1) === alias)
  if (!created) throw new Error(`there is no session ${alias}`)
  if (created.alias !== alias) await sessions.creating.patch(created.id, human, { alias })
  return sessionRepository.get(created.id)
}

export type Work = Awaited<ReturnType<typeof openWork>>

/** The query plan of a statement, one line for each step. */
export const plan = (store: Store, sql: string): string[] =>
  store.all(query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)).map(({ detail }) => detail)
