import type { Clock } from '../../core/clock.ts'
import { invalidField } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import { type SaveResponse, withoutReplay } from '../../core/replays/replays.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Caller } from '../../http/caller.ts'
import { RenderedJson } from '../../http/rendered.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import { speaker } from '../speaker.ts'
import { Bulk } from './bulk.ts'
import type { Along, BeadChange, Identities, Scopes } from './draft.ts'
import { Ledger } from './ledger.ts'
import { BeadLists } from './lists.ts'
import type {
  Bead,
  BeadAssigned,
  BeadAssignInputBody,
  BeadCreateInputBody,
  BeadDependencies,
  BeadDependInput,
  BeadDepsResponse,
  BeadFilter,
  BeadGraphResponse,
  BeadRelation,
  BeadUpdateBody,
  Dep,
  ListBodyBead,
} from './schema.ts'
import { Tallies, type WorkCounts } from './tallies.ts'

/** The beads of a city: the record of its work, and of whatever else happens in it. */
export class Beads extends Ledger {
  /** The same for many at once. */
  readonly bulk: Bulk
  readonly #lists: BeadLists
  readonly #tallies: Tallies
  #identities: Identities | undefined

  constructor(store: Store, log: EventLog, clock: Clock, scopes: Scopes) {
    super(store, log, clock, scopes)
    this.bulk = new Bulk(store, this)
    this.#lists = new BeadLists(store, this.reader)
    this.#tallies = new Tallies(store)
  }

  /** From now on an assignee has to be a session, and is stored under the name it is known by. */
  identifiedBy(identities: Identities): void {
    this.#identities = identities
  }

  list(query: BeadFilter): RenderedJson<ListBodyBead> {
    const assignees = query.assignee ? [...new Set(this.#names(query.assignee))] : undefined
    const rig = query.rig === this.scopes.current.name ? '' : query.rig || undefined
    return this.#lists.list({ ...query, rig }, assignees)
  }

  /** What can be worked on now. */
  ready(): RenderedJson<ListBodyBead> {
    return this.#lists.ready(this.clock.now())
  }

  /** A bead as its readers see it. */
  show(id: string): RenderedJson<Bead> {
    return new RenderedJson(this.reader.text(id))
  }

  /** What is open below a bead. */
  deps(id: string): BeadDepsResponse {
    return this.#lists.children(this.get(id))
  }

  graph(root: string): BeadGraphResponse {
    return this.#lists.graph(this.get(root))
  }

  /** Those of `ids` that exist, oldest first. */
  some(ids: readonly string[]): Bead[] {
    return this.reader.some(ids)
  }

  /** The session that calls, if it is one of this city. */
  sessionOf(caller: Caller): string | undefined {
    return caller.kind === 'session' && caller.city === this.scopes.current.name ? caller.session : undefined
  }

  /** The rig a bead belongs to; '' is the city itself. */
  rigOf(id: string): string {
    return this.reader.need(id).rig
  }

  /** The number of a bead in this city. */
  numberOf(id: string): number {
    return this.reader.need(id).n
  }

  /** The title of a bead; '' when there is no such bead. */
  titleOf(id: string): string {
    return this.reader.row(id)?.title ?? ''
  }

  /** The edges of a bead, both ways. */
  dependencies(id: string): BeadDependencies {
    this.reader.need(id)
    const of = this.edges.of(id)
    const on = this.edges.on(id)
    const beads = new Map(
      this.some([...of.map((edge) => edge.depends_on_id), ...on.map((edge) => edge.issue_id)]).map((bead) => [
        bead.id,
        bead,
      ]),
    )
    const relation = (end: string, { type }: Dep): BeadRelation => {
      const bead = beads.get(end)
      return { id: end, type, ...(bead && { bead }) }
    }
    return {
      depends_on: of.map((edge) => relation(edge.depends_on_id, edge)),
      dependents: on.map((edge) => relation(edge.issue_id, edge)),
    }
  }

  /** Beads this one leads to that wait for each other. */
  cycle(id: string): string[] | undefined {
    return this.edges.cycle(id)
  }

  counts(): Map<string, WorkCounts> {
    return this.#tallies.counts(this.clock.now())
  }

  /** How many beads there are, closed ones too. */
  rows(): number {
    return this.#tallies.rows()
  }

  mail(): { total: number; unread: number } {
    return this.#tallies.mail()
  }

  /** What is in progress in somebody's name, oldest first. */
  underWay(assignee: string): string[] {
    return this.#tallies.underWay(assignee)
  }

  create(body: BeadCreateInputBody, once: SaveResponse = withoutReplay): Promise<Bead> {
    return this.store.write((tx) => once(tx, this.createIn(tx, body)))
  }

  /** Creates a bead as a caller describes it; `needs` are what it depends on: `id` blocks it, `type:id` otherwise. */
  createIn(tx: Tx, { assignee, defer_until, ...rest }: BeadCreateInputBody, needs?: readonly string[]): Bead {
    const deferUntil = defer_until === undefined ? undefined : momentOf(defer_until)
    return this.add(tx, { ...rest, needs, deferUntil, assignee: this.#assignee(tx, assignee) })
  }

  update(caller: Caller, id: string, body: BeadUpdateBody): Promise<OKResponseBody> {
    return this.store.write((tx) => {
      this.updateIn(tx, caller, id, body)
      return { status: 'updated' }
    })
  }

  /** Changes a bead as a caller wants it. */
  updateIn(tx: Tx, caller: Caller, id: string, body: BeadUpdateBody): Bead {
    const { assignee, remove_labels, priority, ...rest } = body
    if (priority === null)
      throw invalidField('body.priority', 'a priority cannot be taken away: set another, or leave it out')
    this.reader.need(id)
    const change: BeadChange = {
      ...rest,
      priority,
      removeLabels: remove_labels,
      assignee: this.#assignee(tx, assignee),
    }
    return this.change(tx, id, change, this.#asked(caller))
  }

  assign(caller: Caller, id: string, { assignee }: BeadAssignInputBody): Promise<BeadAssigned> {
    return this.store.write((tx) => {
      this.reader.need(id)
      const name = this.#assignee(tx, assignee ?? '') ?? ''
      this.change(tx, id, { assignee: name }, this.#asked(caller))
      return { status: 'assigned', assignee: name }
    })
  }

  closeFor(caller: Caller, id: string): Promise<OKResponseBody> {
    return this.store.write((tx) => {
      this.close(tx, id, undefined, this.#asked(caller))
      return { status: 'closed' }
    })
  }

  reopenFor(caller: Caller, id: string): Promise<OKResponseBody> {
    return this.store.write((tx) => {
      this.reopen(tx, id, this.#asked(caller))
      return { status: 'reopened' }
    })
  }

  dependFor(caller: Caller, id: string, { depends_on_id: target, type = 'blocks' }: BeadDependInput): Promise<Dep> {
    return this.store.write((tx) => {
      this.reader.need(id)
      this.reader.need(target)
      this.depend(tx, id, [target], type, this.#asked(caller))
      return { issue_id: id, depends_on_id: target, type }
    })
  }

  undependFor(caller: Caller, id: string, target: string, type?: string): Promise<OKResponseBody> {
    return this.store.write((tx) => {
      this.undepend(tx, id, [target], type || undefined, this.#asked(caller))
      return { status: 'removed' }
    })
  }

  #asked(caller: Caller): Along {
    return { by: this.sessionOf(caller), actor: speaker(caller, undefined) }
  }

  #names(token: string): string[] {
    return this.#identities?.names(token) ?? [token]
  }

  #assignee(tx: Tx, token: string | undefined): string | undefined {
    const wanted = token?.trim()
    if (!wanted || !this.#identities) return wanted
    return this.#identities.resolve(tx, wanted, { materialise: true })
  }
}

function momentOf(text: string): number {
  const at = Date.parse(text)
  if (!Number.isNaN(at)) return at
  throw invalidField('body.defer_until', `defer_until is not a moment: ${text}; write it as 2030-01-31T09:00:00Z`)
}
