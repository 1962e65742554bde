import { asc, count, eq } from 'drizzle-orm'
import { PersonAdded as PersonAddedEvent, PersonRemoved } from '../../city/events.ts'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/index.ts'
import { createSecret } from '../../core/ids.ts'
import { Signal } from '../../core/signal.ts'
import { query, type Store, type Tx } from '../../core/store/index.ts'
import { hashToken, TOKEN_PREFIX } from '../../core/text/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller, PersonCaller } from '../../http/caller.ts'
import { GRANTS } from '../../http/needs.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { Person, PersonAdd, PersonAdded, PersonList } from './schema.ts'
import { people } from './table.ts'

interface PeopleOptions {
  store: Store
  log: EventLog
  clock: Clock
  /** The account of the operator, whose name no one else gets. */
  account: string | undefined
}

interface Holder {
  id: number
  name: string
  grants: string
}

const MAX_PEOPLE = 1000

/** Names under which others are recorded. */
const TAKEN = ['human', 'operator', 'gc']

const FIND = query<Holder, [string]>('SELECT id, name, grants FROM people WHERE hash = ?')

/** People with a token of their own, for all cities of the supervisor. */
export class People {
  readonly #removed = new Signal<[id: number]>()
  /** Calls the listener once a person is removed. */
  readonly onRemoved = this.#removed.listen
  readonly #taken: ReadonlySet<string>

  constructor(private readonly options: PeopleOptions) {
    this.#taken = new Set([...TAKEN, ...(options.account === undefined ? [] : [options.account.toLowerCase()])])
  }

  /** The person whose token has this hash. */
  callerOf(hash: string): PersonCaller | undefined {
    const row = this.options.store.read(() => this.options.store.get(FIND, hash))
    if (!row) return undefined
    const grants: unknown = JSON.parse(row.grants)
    return { kind: 'person', id: row.id, person: row.name, grants: Array.isArray(grants) ? grants : [] }
  }

  list(): PersonList {
    const rows = this.options.store.read((orm) => orm.select().from(people).orderBy(asc(people.name)).all())
    return { items: rows.map(toPerson), total: rows.length }
  }

  /** Adds a person, and returns their token; it cannot be read again. */
  add(caller: Caller, { name, grants: wanted = [] }: PersonAdd): Promise<PersonAdded> {
    const { store, log, clock } = this.options
    if (this.#taken.has(name.toLowerCase()))
      throw conflict(`${name} is recorded for others already; choose another name`)
    const grants = GRANTS.filter((grant) => wanted.includes(grant))
    const token = createSecret(TOKEN_PREFIX.person)
    return store.write((tx) => {
      this.#requireRoom(tx, name)
      const row = { name, grants, hash: hashToken(token), addedAt: clock.now() }
      tx.orm.insert(people).values(row).run()
      log.append(tx, PersonAddedEvent, { subject: name }, { name, grants })
      return { ...toPerson(row), token }
    }, actorOf(caller))
  }

  /** Removes a person: their token is no one's from then on. */
  remove(caller: Caller, name: string): Promise<OKResponseBody> {
    const { store, log } = this.options
    return store.write((tx) => {
      const row = tx.orm
        .delete(people)
        .where(eq(people.name, name))
        .returning({ id: people.id, name: people.name })
        .get()
      if (!row) throw new AppError('person-not-found', `not_found: there is no person ${name}; see gc people list`)
      tx.after(() => this.#removed.emit(row.id))
      log.append(tx, PersonRemoved, { subject: row.name }, { name: row.name })
      return { status: 'removed' }
    }, actorOf(caller))
  }

  #requireRoom(tx: Tx, name: string): void {
    const existing = tx.orm.select({ name: people.name }).from(people).where(eq(people.name, name)).get()
    if (existing) {
      throw conflict(`${existing.name} has a token already; remove them with gc people remove ${existing.name} first`)
    }
    const { n } = tx.orm.select({ n: count() }).from(people).get() ?? { n: 0 }
    if (n >= MAX_PEOPLE) throw conflict(`there are ${MAX_PEOPLE} people, which is the maximum; remove one first`)
  }
}

const toPerson = ({ name, grants, addedAt }: { name: string; grants: string[]; addedAt: number }): Person => ({
  name,
  grants,
  added_at: toTimestamp(addedAt),
})

const conflict = (message: string): AppError => new AppError('conflict-wrong-state', message)
