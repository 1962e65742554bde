import type { CityContext } from '../../core/city-context.ts'
import { AppError } from '../../core/errors.ts'
import type { EventLog, Reactions, RecordedEvent } from '../../core/events/index.ts'
import { query, type Store, stablePlan, type Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { assertFits, type RenderedJson } from '../../http/respond/index.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import { type Bead, type BeadRepository, type Beads, type ListBodyBead, SIZE_OF_BEADS } from '../beads/index.ts'
import { ConvoyClosed, ConvoyCreated } from '../events.ts'
import { ConvoyKey } from '../metadata.ts'
import type {
  ConvoyCheckResponse,
  ConvoyGetResponse,
  ConvoyProgress,
  ConvoyQuery,
  ConvoysProgress,
  ConvoyTerms,
} from './schema.ts'

export interface ConvoysOptions {
  beads: BeadRepository
  lists: Pick<Beads, 'list'>
  reactions: Reactions
}

/** A convoy to create. */
export interface ConvoyDraft {
  /** One that was reserved for it; absent: the next. */
  id?: string | undefined
  title: string
  priority?: number | undefined
  rig?: string | undefined
  items: readonly string[]
  labels?: readonly string[] | undefined
  metadata?: Readonly<Record<string, string>> | undefined
}

/** The label that keeps a convoy open until a person closes it. */
export const OWNED_LABEL = 'owned'

const COMPLETE_REASON = 'every bead of the convoy is closed'

/** Maximum convoys per progress request. */
const MAX_PROGRESS = 200

/** Beads that belong together: a convoy tracks them and closes with the last of them. */
export class Convoys {
  readonly #store: Store
  readonly #log: EventLog
  readonly #beads: BeadRepository
  readonly #lists: ConvoysOptions['lists']
  readonly #members: ConvoyMembers

  constructor({ store, log }: CityContext, { beads, lists, reactions }: ConvoysOptions) {
    this.#store = store
    this.#log = log
    this.#beads = beads
    this.#lists = lists
    this.#members = new ConvoyMembers(store, beads)
    beads.onClosed('convoy', (tx, { id }) => log.append(tx, ConvoyClosed, { subject: id }, {}))
    reactions.on('convoys.autoclose', ['bead.closed'], (tx, recorded) => this.#closeCompleted(tx, recorded))
  }

  list(query: ConvoyQuery): RenderedJson<ListBodyBead> {
    return this.#lists.list({ ...query, type: 'convoy' })
  }

  get(id: string): ConvoyGetResponse {
    const convoy = this.#beads.find(id)
    if (convoy?.issue_type !== 'convoy') throw new AppError('convoy-not-found', `convoy ${id} does not exist`)
    const children = this.#members.list(id)
    return { convoy, ...(children.length > 0 && { children }), progress: this.#members.progress(id) }
  }

  /** Progress of convoys; unknown ids have no members. */
  progress(list: string): ConvoysProgress {
    const ids = list.split(',').filter((id) => id !== '')
    if (ids.length > MAX_PROGRESS)
      throw new AppError('invalid-request', `ask for at most ${MAX_PROGRESS} convoys per request, not ${ids.length}`)
    return { convoys: Object.fromEntries(ids.map((id) => [id, this.#members.progress(id)])) }
  }

  /** The ids of the members, whether or not there are such beads. */
  memberIds(id: string): string[] {
    return [...this.#members.ids(id)]
  }

  check(id: string): ConvoyCheckResponse {
    this.#requireConvoy(id)
    const progress = this.#members.progress(id)
    return { convoy_id: id, ...progress, complete: isComplete(progress) }
  }

  /** The open convoys that a bead is in. */
  convoysOf(bead: string): string[] {
    return this.#members.convoysOf(bead)
  }

  /** Creates a convoy of beads that exist. */
  add(tx: Tx, { items, ...draft }: ConvoyDraft): Bead {
    this.#requireBeads(items)
    const needs = [...new Set(items)].map((item) => `tracks:${item}`)
    const convoy = this.#beads.add(tx, { ...draft, type: 'convoy', needs })
    this.#log.append(tx, ConvoyCreated, { subject: convoy.id }, {})
    return convoy
  }

  create(caller: Caller, { owned, owner, merge, target, ...body }: ConvoyTerms): Promise<Bead> {
    const metadata = {
      ...(owner !== undefined && { [ConvoyKey.owner]: owner }),
      ...(merge !== undefined && { [ConvoyKey.merge]: merge }),
      ...(target !== undefined && { [ConvoyKey.target]: target }),
    }
    const { items = [] } = body
    const draft = { ...body, items, metadata, labels: owned ? [OWNED_LABEL] : [] }
    return this.#store.write((tx) => this.add(tx, draft), actorOf(caller))
  }

  addItems(caller: Caller, id: string, items: readonly string[] = []): Promise<OKResponseBody> {
    return this.#store.write((tx) => {
      this.#requireConvoy(id)
      this.#requireBeads(items)
      this.#beads.depend(tx, id, items, 'tracks')
      return { status: 'updated' }
    }, actorOf(caller))
  }

  removeItems(caller: Caller, id: string, items: readonly string[] = []): Promise<OKResponseBody> {
    return this.#store.write((tx) => {
      this.#requireConvoy(id)
      this.#requireBeads(items)
      const members = this.#members.ids(id)
      const outsider = items.find((item) => !members.has(item))
      if (outsider) throw new AppError('invalid-request', `bead ${outsider} is not in convoy ${id}`)
      this.#beads.undepend(tx, id, items, 'tracks')
      for (const item of items) {
        if (this.#beads.get(item).parent === id) this.#beads.change(tx, item, { parent: null })
      }
      return { status: 'updated' }
    }, actorOf(caller))
  }

  /** Closes a convoy, whatever the state of its members. */
  close(caller: Caller, id: string): Promise<OKResponseBody> {
    return this.#store.write((tx) => {
      this.#requireConvoy(id)
      this.#beads.close(tx, id)
      return { status: 'closed' }
    }, actorOf(caller))
  }

  /** Closes the convoys that a closed bead was the last open member of. */
  #closeCompleted(tx: Tx, { subject }: RecordedEvent): void {
    for (const id of subject ? this.convoysOf(subject) : []) {
      const convoy = this.#beads.get(id)
      if (convoy.labels?.includes(OWNED_LABEL) || !isComplete(this.#members.progress(id))) continue
      this.#beads.close(tx, id, COMPLETE_REASON)
    }
  }

  #requireConvoy(id: string): Bead {
    const bead = this.#beads.find(id)
    if (!bead) throw new AppError('convoy-not-found', `convoy ${id} does not exist`)
    if (bead.issue_type === 'convoy') return bead
    throw new AppError('invalid-request', `bead ${id} is a ${bead.issue_type}, not a convoy`)
  }

  #requireBeads(ids: readonly string[]): void {
    for (const id of ids) this.#beads.assertExists(id)
  }
}

const MEMBERS = `SELECT id FROM beads WHERE parent = ?1
      UNION SELECT depends_on_id FROM bead_edges WHERE issue_id = ?1 AND type = 'tracks'`

const IDS = query<{ id: string }, [string]>(stablePlan(MEMBERS))

const SIZE = query<{ n: number }, [string]>(SIZE_OF_BEADS)

const PROGRESS = query<ConvoyProgress, [string]>(
  stablePlan(`SELECT count(*) AS total, coalesce(sum(b.closed), 0) AS closed
       FROM (${MEMBERS}) m LEFT JOIN beads b ON b.id = m.id`),
)

const TRACKING = query<{ id: string }, [string]>(
  "SELECT issue_id AS id FROM bead_edges WHERE depends_on_id = ? AND type = 'tracks'",
)

const PARENT = query<{ id: string | null }, [string]>('SELECT parent AS id FROM beads WHERE id = ?')

const OPEN_CONVOY = query<{ id: string }, [string]>(
  "SELECT id FROM beads WHERE id = ? AND type = 'convoy' AND closed = 0",
)

/** The members of convoys: the beads that a convoy tracks, and those whose parent it is. */
class ConvoyMembers {
  constructor(
    private readonly store: Store,
    private readonly beads: BeadRepository,
  ) {}

  ids(convoy: string): Set<string> {
    return new Set(this.store.all(IDS, convoy).map(({ id }) => id))
  }

  /** The members, oldest first; one that does not exist is listed as `unknown`. */
  list(convoy: string): Bead[] {
    const missing = this.ids(convoy)
    const instead = `read its beads page by page at beads/graph/${convoy}/beads`
    assertFits(this.store.get(SIZE, JSON.stringify([...missing]))?.n ?? 0, `convoy ${convoy}`, instead)
    const beads = this.beads.list([...missing])
    for (const { id } of beads) missing.delete(id)
    return [...[...missing].sort().map(unknownBead), ...beads]
  }

  progress(convoy: string): ConvoyProgress {
    return this.store.get(PROGRESS, convoy) ?? { total: 0, closed: 0 }
  }

  /** The open convoys that a bead is in. */
  convoysOf(id: string): string[] {
    const parent = this.store.get(PARENT, id)?.id ?? undefined
    const convoys = new Set(this.store.all(TRACKING, id).map((convoy) => convoy.id))
    if (parent !== undefined) convoys.add(parent)
    return [...convoys].filter((convoy) => this.store.get(OPEN_CONVOY, convoy) !== null).sort()
  }
}

const unknownBead = (id: string): Bead => ({
  id,
  title: id,
  status: 'unknown',
  issue_type: 'task',
  created_at: '0001-01-01T00:00:00Z',
})

/** True if every member is closed; a convoy without members is never complete. */
const isComplete = ({ total, closed }: ConvoyProgress): boolean => total > 0 && closed === total
