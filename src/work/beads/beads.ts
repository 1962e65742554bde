import type { Clock } from '../../core/clock.ts'
import { type SaveResponse, withoutReplay } from '../../core/replays/replays.ts'
import type { Store } from '../../core/store.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { assertFits, type JsonRows, RenderedJson } from '../../http/rendered.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import { BulkBeads } from './bulk.ts'
import { BeadCounters, type WorkCounts } from './counters.ts'
import type { AssigneeResolver } from './extensions.ts'
import { BeadLists } from './lists.ts'
import type { BeadProtection } from './protection.ts'
import type { BeadReader } from './reader.ts'
import type { BeadRepository } from './repository.ts'
import { BeadRequests } from './requests.ts'
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
  BeadPage,
  BeadRelation,
  BeadUpdateBody,
  Dep,
  ListBodyBead,
} from './schema.ts'

export interface BeadsOptions {
  /** The city's name. */
  city: string
  store: Store
  clock: Clock
  reader: BeadReader
  repository: BeadRepository
  assignees: AssigneeResolver
  protection: BeadProtection
}

/** Whether a bead that another session holds may be taken away. */
interface Force {
  force?: boolean | undefined
}

/** The beads of a city as callers see and change them. */
export class Beads {
  /** The same for many beads at once. */
  readonly bulk: BulkBeads
  readonly #options: BeadsOptions
  readonly #requests: BeadRequests
  readonly #lists: BeadLists
  readonly #counters: BeadCounters

  constructor(options: BeadsOptions) {
    const { store, reader, repository } = options
    this.#options = options
    this.#requests = new BeadRequests(options)
    this.bulk = new BulkBeads(store, repository, this.#requests)
    this.#lists = new BeadLists(store, reader)
    this.#counters = new BeadCounters(store)
  }

  list(query: BeadFilter): RenderedJson<ListBodyBead> {
    const { city, assignees } = this.#options
    const names = query.assignee ? [...new Set(assignees.names(query.assignee))] : undefined
    const rig = query.rig === city ? '' : query.rig || undefined
    return this.#lists.list({ ...query, rig }, names)
  }

  /** What can be worked on now. */
  ready(): JsonRows<ListBodyBead> {
    return this.#lists.ready(this.#options.clock.now())
  }

  show(id: string): RenderedJson<Bead> {
    return new RenderedJson(this.#options.reader.json(id))
  }

  /** The open children of a bead. */
  deps(id: string): JsonRows<BeadDepsResponse> {
    return this.#lists.children(this.#options.repository.get(id))
  }

  graph(root: string): JsonRows<BeadGraphResponse> {
    return this.#lists.graph(this.#options.repository.get(root))
  }

  /** The beads of a graph, page by page. */
  graphBeads(root: string, page: BeadPage): RenderedJson<ListBodyBead> {
    return this.#lists.members(this.#options.repository.get(root), page)
  }

  /** The dependencies of a bead, in both directions. */
  dependencies(id: string): BeadDependencies {
    const { repository } = this.#options
    repository.assertExists(id)
    const dependencies = repository.dependenciesOf(id)
    const dependents = repository.dependentsOf(id)
    const ids = [...dependencies.map((dep) => dep.depends_on_id), ...dependents.map((dep) => dep.issue_id)]
    assertFits(
      this.#options.reader.sizeOf(ids),
      `what bead ${id} depends on and what depends on it`,
      'read the beads at GET beads',
    )
    const beads = new Map(repository.list(ids).map((bead) => [bead.id, bead]))
    const relation = (end: string, { type }: Dep): BeadRelation => {
      const bead = beads.get(end)
      return { id: end, type, ...(bead && { bead }) }
    }
    return {
      depends_on: dependencies.map((dep) => relation(dep.depends_on_id, dep)),
      dependents: dependents.map((dep) => relation(dep.issue_id, dep)),
    }
  }

  counts(): Map<string, WorkCounts> {
    return this.#counters.counts(this.#options.clock.now())
  }

  /** How many there are of each status, closed ones too; messages, convoys, convergences and sessions are not counted. */
  countsByStatus(): { status: string; n: number }[] {
    return this.#counters.byStatus()
  }

  /** How many beads there are, closed ones too. */
  total(): number {
    return this.#counters.total()
  }

  create(caller: Caller, body: BeadCreateInputBody, saveResponse: SaveResponse = withoutReplay): Promise<Bead> {
    return this.#options.store.write((tx) => saveResponse(tx, this.#requests.create(tx, body)), actorOf(caller))
  }

  update(caller: Caller, id: string, body: BeadUpdateBody, { force }: Force = {}): Promise<OKResponseBody> {
    return this.#options.store.write((tx) => {
      this.#requests.update(tx, caller, id, body, force)
      return { status: 'updated' }
    }, actorOf(caller))
  }

  assign(caller: Caller, id: string, body: BeadAssignInputBody, { force }: Force = {}): Promise<BeadAssigned> {
    const { store, repository } = this.#options
    return store.write((tx) => {
      repository.assertExists(id)
      const assignee = this.#requests.resolveAssignee(tx, body.assignee) ?? ''
      this.#requests.check(caller, id, { assignee }, force)
      repository.change(tx, id, { assignee }, this.#requests.optionsFor(caller))
      return { status: 'assigned', assignee }
    }, actorOf(caller))
  }

  close(caller: Caller, id: string, { force }: Force = {}): Promise<OKResponseBody> {
    const { store, repository } = this.#options
    return store.write((tx) => {
      this.#requests.check(caller, id, { status: 'closed' }, force)
      repository.close(tx, id, undefined, this.#requests.optionsFor(caller))
      return { status: 'closed' }
    }, actorOf(caller))
  }

  reopen(caller: Caller, id: string): Promise<OKResponseBody> {
    const { store, repository } = this.#options
    return store.write((tx) => {
      this.#requests.check(caller, id, { status: 'open' })
      repository.reopen(tx, id, this.#requests.optionsFor(caller))
      return { status: 'reopened' }
    }, actorOf(caller))
  }

  depend(caller: Caller, id: string, { depends_on_id: target, type = 'blocks' }: BeadDependInput): Promise<Dep> {
    const { store, repository } = this.#options
    return store.write((tx) => {
      repository.assertExists(id)
      repository.assertExists(target)
      repository.depend(tx, id, [target], type, this.#requests.optionsFor(caller))
      return { issue_id: id, depends_on_id: target, type }
    }, actorOf(caller))
  }

  undepend(caller: Caller, id: string, target: string, type?: string): Promise<OKResponseBody> {
    const { store, repository } = this.#options
    return store.write((tx) => {
      repository.undepend(tx, id, [target], type || undefined, this.#requests.optionsFor(caller))
      return { status: 'removed' }
    }, actorOf(caller))
  }
}
