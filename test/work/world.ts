import type { Statement } from 'bun:sqlite'
import { cityMigrations } from '../../src/city/database/migrations.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { EventLog } from '../../src/core/events/log.ts'
import { Reactions } from '../../src/core/events/reactions.ts'
import { Store } from '../../src/core/store.ts'
import type { Human, SessionCaller } from '../../src/http/caller.ts'
import type { BeadDraft } from '../../src/work/beads/draft.ts'
import type { AssigneeResolver } from '../../src/work/beads/extensions.ts'
import type { Bead } from '../../src/work/beads/schema.ts'
import type { Worker } from '../../src/work/claims/worker.ts'
import { TestClock } from '../support/clock.ts'
import { type TempFolder, tempFolder } from '../support/folder.ts'
import { buildWork } from '../support/work.ts'

export const human: Human = { kind: 'human' }

/** The work of a city named mill with the rigs press and saw. */
export function openWork(folder: TempFolder = tempFolder(), clock = new TestClock(), assignees?: AssigneeResolver) {
  const store = Store.open(folder.at('city.db'), cityMigrations)
  const deadlines = new Deadlines(clock, clock)
  const log = new EventLog(store, clock, deadlines)
  const errors: unknown[] = []
  const reactions = new Reactions(store, log, deadlines, (error) => errors.push(error))
  const scope = {
    current: {
      name: 'mill',
      prefix: 'mi',
      rigs: [
        { name: 'press', prefix: 'pr' },
        { name: 'saw', prefix: 'sa' },
      ],
    },
  }
  const workers = new Map<string, Worker>()
  const services = buildWork({
    ...{ store, log, clock, deadlines, reactions, scope, assignees },
    workers: { worker: (caller) => workers.get(caller.session) ?? workerOf(caller.session) },
    report: (error) => errors.push(error),
  })
  const { repository, claims } = services
  let seen = log.head
  return {
    folder,
    clock,
    store,
    log,
    deadlines,
    reactions,
    scope,
    ...services,
    workers,
    errors,
    add: (draft: BeadDraft): Promise<Bead> => store.write((tx) => repository.add(tx, draft)),
    /** The types and subjects of the events that were recorded since the last call. */
    recorded(): string[] {
      const events = log.after(seen, 10_000)
      seen = log.head
      return events.map((recorded) => `${recorded.type} ${recorded.subject}`)
    },
    async [Symbol.asyncDispose]() {
      reactions.stop()
      claims.stop()
      deadlines.close()
      await store.close()
      folder[Symbol.dispose]()
    },
  }
}

export type Work = ReturnType<typeof openWork>

export const workerOf = (session: string, more: Partial<Worker> = {}): Worker => ({
  session,
  sessionName: `s-${session}`,
  agent: 'press/hand',
  identity: session,
  names: [session],
  incarnation: '1',
  hosted: true,
  ...more,
})

export const callerOf = (session: string): SessionCaller => ({
  kind: 'session',
  city: 'mill',
  session,
  names: [session],
  may: [],
})

/** The query plan of a statement, one line for each step. */
export const plan = (store: Store, sql: string): string[] =>
  (store.prepare(`EXPLAIN QUERY PLAN ${sql}`) as Statement<{ detail: string }, []>).all().map(({ detail }) => detail)
