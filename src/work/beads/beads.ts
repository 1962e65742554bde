import type { CityContext } from '../../core/city-context.ts'
import { AppError, invalidField } from '../../core/errors.ts'
import { query, type Store, type Tx } from '../../core/store/index.ts'
import { actorOf, sessionOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { assertFits, type JsonRows, RenderedJson } from '../../http/respond/index.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import { isEngineKey, ResultKey } from '../metadata.ts'
import type { Bead, Dep } from '../schema.ts'
import type {
  BeadChangeEntry,
  BeadEntry,
  BeadsBulkCreate,
  BeadsBulkUpdate,
  BeadsBurned,
  BeadsCreated,
} from './bulk-schema.ts'
import { findCycle } from './cycles.ts'
import { parseNeed } from './dependencies.ts'
import type { BeadChange, BeadDraft, PreparedBead, WriteOptions } from './draft.ts'
import type { AssigneeResolver } from './extensions.ts'
import { BeadLists } from './lists.ts'
import type { BeadReader } from './reader.ts'
import { isRecord, UNCOUNTED_TYPES } from './readiness.ts'
import type { BeadRepository } from './repository.ts'
import type {
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
  ListBodyBead,
} from './schema.ts'

export interface BeadsOptions {
  /** The city's name. */
  city: string
  reader: BeadReader
  repository: BeadRepository
  assignees: AssigneeResolver
  protection: BeadProtection
}

/** True if a bead that another session holds may be taken away. */
interface Force {
  force?: boolean | undefined
}

/** The beads of a city as callers see and change them. */
export class Beads {
  /** The same for many beads together. */
  readonly bulk: BulkBeads
  readonly #requests: BeadRequests
  readonly #lists: BeadLists
  readonly #counters: BeadCounters

  constructor(
    private readonly context: CityContext,
    private readonly options: BeadsOptions,
  ) {
    const { store } = context
    const { reader, repository } = options
    this.#requests = new BeadRequests(options)
    this.bulk = new BulkBeads(store, repository, this.#requests)
    this.#lists = new BeadLists(store, reader)
    this.#counters = new BeadCounters(store)
  }

  list(query: BeadFilter): RenderedJson<ListBodyBead> {
    const { city, assignees } = this.options
    const names = query.assignee ? [...new Set(assignees.names(query.assignee))] : undefined
    const rig = query.rig === city ? '' : query.rig || undefined
    return this.#lists.list({ ...query, rig }, names)
  }

  /** Beads that are ready now. */
  ready(): JsonRows<ListBodyBead> {
    return this.#lists.ready(this.context.clock.now())
  }

  show(id: string): RenderedJson<Bead> {
    return new RenderedJson(this.options.reader.json(id))
  }

  /** The open children of a bead. */
  deps(id: string): JsonRows<BeadDepsResponse> {
    return this.#lists.children(this.options.repository.get(id))
  }

  graph(root: string): JsonRows<BeadGraphResponse> {
    return this.#lists.graph(this.options.repository.get(root))
  }

  /** The beads of a graph, page by page. */
  graphBeads(root: string, page: BeadPage): RenderedJson<ListBodyBead> {
    return this.#lists.members(this.options.repository.get(root), page)
  }

  /** The dependencies of a bead, in both directions. */
  dependencies(id: string): BeadDependencies {
    const { repository } = this.options
    repository.assertExists(id)
    const dependencies = repository.dependenciesOf(id)
    const dependents = repository.dependentsOf(id)
    const ids = [...dependencies.map((dep) => dep.depends_on_id), ...dependents.map((dep) => dep.issue_id)]
    assertFits(
      this.options.reader.sizeOf(ids),
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
    return this.#counters.counts(this.context.clock.now())
  }

  /**
   * Number of there that are of each status, closed ones as well; messages, convoys, convergences and sessions are not
   * counted.
   */
  countsByStatus(): { status: string; n: number }[] {
    return this.#counters.byStatus()
  }

  /** Number of beads, closed ones as well. */
  total(): number {
    return this.#counters.total()
  }

  create(caller: Caller, body: BeadCreateInputBody): Promise<Bead> {
    return this.context.store.write((tx) => this.#requests.create(tx, body), actorOf(caller))
  }

  update(caller: Caller, id: string, body: BeadUpdateBody, { force }: Force = {}): Promise<OKResponseBody> {
    return this.context.store.write((tx) => {
      this.#requests.update(tx, caller, id, body, force)
      return { status: 'updated' }
    }, actorOf(caller))
  }

  assign(caller: Caller, id: string, body: BeadAssignInputBody, { force }: Force = {}): Promise<BeadAssigned> {
    const { store } = this.context
    const { repository, protection } = this.options
    return store.write((tx) => {
      const stored = repository.load(tx, id)
      const assignee = this.#requests.resolveAssignee(tx, body.assignee) ?? ''
      protection.check(caller, stored.bead, { assignee }, force)
      repository.change(tx, stored, { assignee }, this.#requests.optionsFor(caller))
      return { status: 'assigned', assignee }
    }, actorOf(caller))
  }

  close(caller: Caller, id: string, { force }: Force = {}): Promise<OKResponseBody> {
    const { store } = this.context
    const { repository, protection } = this.options
    return store.write((tx) => {
      const stored = repository.load(tx, id)
      protection.check(caller, stored.bead, { status: 'closed' }, force)
      repository.close(tx, stored, undefined, this.#requests.optionsFor(caller))
      return { status: 'closed' }
    }, actorOf(caller))
  }

  /** Throws a molecule away: bookkeeping is removed for good, work that is a molecule of its own is closed. */
  burn(caller: Caller, id: string, { force }: Force = {}): Promise<BeadsBurned> {
    const { store } = this.context
    const { repository, protection } = this.options
    const options = this.#requests.optionsFor(caller)
    return store.write((tx) => {
      const root = repository.get(id)
      if (isKept(root)) throw new AppError('conflict-wrong-state', `bead ${id} is a ${root.issue_type}, no molecule`)
      const all = repository.list(this.#lists.memberIds(id)).filter((bead) => !isKept(bead))
      const members = childrenFirst(root.ephemeral ? all.filter((bead) => bead.ephemeral) : all)
      for (const bead of members) {
        if (bead.status !== 'closed') protection.check(caller, bead, { status: 'closed' }, force)
        repository.close(tx, bead.id, 'burned', options)
      }
      const deleted = members.filter((bead) => bead.ephemeral).map((bead) => bead.id)
      const gone = new Set(deleted)
      for (const each of deleted) {
        const waiting = repository.dependentsOf(each).filter(({ issue_id: other }) => !gone.has(other))
        for (const { issue_id: other } of waiting) repository.undepend(tx, other, [each])
        repository.remove(tx, each)
      }
      return { deleted, closed: members.flatMap((bead) => (bead.ephemeral ? [] : [bead.id])) }
    }, actorOf(caller))
  }

  reopen(caller: Caller, id: string): Promise<OKResponseBody> {
    const { store } = this.context
    const { repository, protection } = this.options
    return store.write((tx) => {
      const stored = repository.load(tx, id)
      protection.check(caller, stored.bead, { status: 'open' })
      repository.reopen(tx, stored, this.#requests.optionsFor(caller))
      return { status: 'reopened' }
    }, actorOf(caller))
  }

  depend(caller: Caller, id: string, { depends_on_id: target, type = 'blocks' }: BeadDependInput): Promise<Dep> {
    const { store } = this.context
    const { repository } = this.options
    return store.write((tx) => {
      repository.assertExists(id)
      repository.assertExists(target)
      repository.depend(tx, id, [target], type, this.#requests.optionsFor(caller))
      return { issue_id: id, depends_on_id: target, type }
    }, actorOf(caller))
  }

  undepend(caller: Caller, id: string, target: string, type?: string): Promise<OKResponseBody> {
    const { store } = this.context
    const { repository } = this.options
    return store.write((tx) => {
      repository.undepend(tx, id, [target], type || undefined, this.#requests.optionsFor(caller))
      return { status: 'removed' }
    }, actorOf(caller))
  }
}

/** True if a bead is a record of the city, which no molecule takes with it. */
const isKept = ({ issue_type: type }: Bead): boolean => type === 'wait' || (isRecord(type) && type !== 'gate')

/** Beads so that each comes after those below it. */
function childrenFirst(beads: readonly Bead[]): Bead[] {
  const children = Map.groupBy(beads, ({ parent = '' }) => parent)
  const sorted = new Set<Bead>()
  const visit = (bead: Bead, path: ReadonlySet<string>) => {
    if (sorted.has(bead) || path.has(bead.id)) return
    for (const child of children.get(bead.id) ?? []) visit(child, new Set([...path, bead.id]))
    sorted.add(bead)
  }
  for (const bead of beads) visit(bead, new Set())
  return [...sorted]
}

/** True if a bead is work to keep. */
interface Kept {
  ephemeral?: boolean | undefined
}

/** The time from which a bead is ready, and the status that a change requires. */
interface Timed {
  defer_until?: string | null | undefined
  if_status?: string | undefined
}

/** Writes beads as callers describe them: assignees are resolved, and the caller is recorded. */
class BeadRequests {
  readonly #city: string
  readonly #repository: BeadRepository
  readonly #assignees: AssigneeResolver
  readonly #protection: BeadProtection

  constructor({ city, repository, assignees, protection }: BeadsOptions) {
    this.#city = city
    this.#repository = repository
    this.#assignees = assignees
    this.#protection = protection
  }

  /** Creates a bead; `needs` are what it depends on: `id` blocks it, `type:id` depends otherwise. */
  create(tx: Tx, body: BeadCreateInputBody & Kept, needs?: readonly string[]): Bead {
    return this.#repository.add(tx, this.draft(tx, body, needs))
  }

  /** A bead as a caller describes it. */
  draft(tx: Tx, { assignee, defer_until, ...rest }: BeadCreateInputBody & Kept, needs?: readonly string[]): BeadDraft {
    const deferUntil = defer_until === undefined ? undefined : parseDeferUntil(defer_until)
    return { ...rest, needs, deferUntil, assignee: this.resolveAssignee(tx, assignee) }
  }

  update(tx: Tx, caller: Caller, id: string, body: BeadUpdateBody & Kept & Timed, force = false): Bead {
    const { assignee, remove_labels: removeLabels, priority, defer_until: deferred, if_status: wanted, ...rest } = body
    if (priority === null) {
      throw invalidField('body.priority', 'priority cannot be removed: set another value, or leave the field out')
    }
    const stored = this.#repository.load(tx, id)
    if (wanted !== undefined && stored.bead.status !== wanted) {
      throw new AppError('conflict-wrong-state', `bead ${id} is ${stored.bead.status}, not ${wanted}; nothing changed`)
    }
    const deferUntil = typeof deferred === 'string' ? parseDeferUntil(deferred) : deferred
    const resolved = this.resolveAssignee(tx, assignee)
    const change = { ...rest, priority, removeLabels, deferUntil, assignee: resolved }
    this.#protection.check(caller, stored.bead, change, force)
    return this.#repository.change(tx, stored, change, this.optionsFor(caller))
  }

  /** The name that is stored as assignee; '' is no one. */
  resolveAssignee(tx: Tx, token: string | undefined): string | undefined {
    const trimmed = token?.trim()
    return trimmed ? this.#assignees.resolve(tx, trimmed, { materialise: true }) : trimmed
  }

  optionsFor(caller: Caller): WriteOptions {
    return { session: sessionOf(caller, this.#city) }
  }
}

function parseDeferUntil(value: string): number {
  const timestamp = Date.parse(value)
  if (!Number.isNaN(timestamp)) return timestamp
  throw invalidField('body.defer_until', `defer_until is not a timestamp: ${value}; write it as 2030-01-31T09:00:00Z`)
}

/** Holder of a bead. */
export interface BeadHolder {
  session: string
  name: string
}

interface BeadProtectionOptions {
  /** Holder of a bead; undefined without one. */
  holderOf(bead: string): BeadHolder | undefined
  /** The run of a formula that a bead belongs to; undefined without one. */
  runOf(bead: Bead): string | undefined
  /** True if a message is for this session. */
  isMailFor(message: string, session: string): boolean
}

/** Rejects what a caller may not do to a bead: some are changed by other operations, and some are in others' hands. */
export class BeadProtection {
  constructor(private readonly options: BeadProtectionOptions) {}

  /** Throws when the caller may not make this change; with `force`, what others hold may be taken away. */
  check(
    caller: Caller,
    bead: Bead,
    change: Pick<BeadChange, 'status' | 'type' | 'assignee' | 'metadata'>,
    force = false,
  ): void {
    this.#checkRun(bead, change)
    if (bead.issue_type === 'session') checkSession(bead, change)
    if (caller.kind !== 'session' && caller.kind !== 'process') return
    if (bead.issue_type === 'message') this.#checkMail(caller, bead, change)
    if (!force) this.#checkHolder(caller, bead, change)
  }

  #checkRun(bead: Bead, { metadata = {} }: Pick<BeadChange, 'metadata'>): void {
    const changed = Object.entries(metadata).find(
      ([key, value]) => isEngineKey(key) && (value ?? undefined) !== bead.metadata?.[key],
    )
    const run = changed && this.options.runOf(bead)
    if (!run) return
    const { outcome, failureReason, outputJson } = ResultKey
    throw new AppError(
      'conflict-wrong-state',
      `${changed[0]} of bead ${bead.id} is set only by gc, which runs the bead as a step of run ${run}: report the result ` +
        `in ${outcome}, ${failureReason}, ${outputJson} or keys of your own`,
    )
  }

  #checkMail(caller: Caller, { id }: Bead, { status }: Pick<BeadChange, 'status'>): void {
    if (status === undefined || (caller.kind === 'session' && caller.may.includes('mail'))) return
    if (caller.kind === 'session' && this.options.isMailFor(id, caller.session)) return
    throw new AppError('forbidden', `forbidden: message ${id} is not yours; a session needs "mail" to close it`)
  }

  #checkHolder(caller: Caller, { id, assignee }: Bead, { status, assignee: next }: BeadChange): void {
    const holder = this.options.holderOf(id)
    if (!holder || (caller.kind === 'session' && holder.session === caller.session)) return
    const takesAway = (status !== undefined && status !== 'in_progress') || (next !== undefined && next !== assignee)
    if (!takesAway) return
    throw new AppError(
      'conflict-wrong-state',
      `bead ${id} is held by ${holder.name}, who works on it; add force to take it away`,
    )
  }
}

function checkSession({ id, status }: Bead, change: Pick<BeadChange, 'status' | 'type'>): void {
  const isChanged = change.status !== undefined && change.status !== status
  if (!isChanged && (change.type === undefined || change.type === 'session')) return
  throw new AppError(
    'conflict-wrong-state',
    `bead ${id} is a session, which does not end as a bead does: close it with gc session close ${id}`,
  )
}

/** Counts of work. */
interface WorkCounts {
  open: number
  in_progress: number
  ready: number
}

interface RigCount {
  rig: string
  n: number
}

const IS_COUNTED = `type NOT IN (${UNCOUNTED_TYPES.map((type) => `'${type}'`).join(', ')})`

const BY_STATUS = query<
  RigCount & { status: string; ready: number }
>(`SELECT rig, status, sum(n) AS n, sum(ready) AS ready FROM bead_counts
       WHERE status IN ('open', 'in_progress') AND ${IS_COUNTED} GROUP BY rig, status`)

const DEFERRED = query<RigCount, [number]>(`SELECT rig, count(*) AS n FROM beads
       WHERE ready = 1 AND defer_until IS NOT NULL AND defer_until > ? AND ${IS_COUNTED} GROUP BY rig`)

const TOTAL = query<{ n: number | null }>('SELECT sum(n) AS n FROM bead_counts')

const STATUSES = query<{ status: string; n: number }>(
  `SELECT status, sum(n) AS n FROM bead_counts WHERE ${IS_COUNTED} GROUP BY status ORDER BY status`,
)

/** Counts the beads of a city from maintained counters and small indexes: the cost does not grow with history. */
class BeadCounters {
  constructor(private readonly store: Store) {}

  /** Work by rig; '' is the city itself. Messages, convoys, convergences, sessions and kept values are not counted. */
  counts(now: number): Map<string, WorkCounts> {
    const counts = new Map<string, WorkCounts>()
    for (const { rig, status, n, ready } of this.store.all(BY_STATUS)) {
      const count = counts.get(rig) ?? { open: 0, in_progress: 0, ready: 0 }
      if (status === 'open') Object.assign(count, { open: n, ready })
      else count.in_progress = n
      counts.set(rig, count)
    }
    for (const { rig, n } of this.store.all(DEFERRED, now)) {
      const count = counts.get(rig)
      if (count) count.ready -= n
    }
    return counts
  }

  /** Number of of the same beads have each status, closed ones as well. */
  byStatus(): { status: string; n: number }[] {
    return this.store.all(STATUSES)
  }

  /** All beads, closed ones as well. */
  total(): number {
    return this.store.get(TOTAL)?.n ?? 0
  }
}

/** The most labels and needs of one request: each is a row of its own in one write. */
const MAX_ROWS = 1000

/** Creates and changes many beads together: all of them or, when one fails, none. */
class BulkBeads {
  constructor(
    private readonly store: Store,
    private readonly repository: BeadRepository,
    private readonly requests: BeadRequests,
  ) {}

  /** Entries may refer to each other, in any order. */
  create(caller: Caller, { beads: entries }: BeadsBulkCreate): Promise<BeadsCreated> {
    checkRowCount(
      'labels and needs',
      entries.map(({ labels = [], needs = [] }) => labels.length + needs.length),
    )
    const ordered = [...sortByReference(entries)]
    const places = new Map(entries.map((entry, index) => [entry, `beads[${index}]`]))
    return this.store.write((tx) => {
      const ids = this.#reserveIds(tx, ordered, places)
      const names = new Map(
        ordered.flatMap((entry) => (entry.name === undefined ? [] : [[entry.name, ids.get(entry) ?? '']])),
      )
      const prepared = ordered.map((entry) =>
        locateErrors(places.get(entry) ?? '', () => this.#prepare(tx, entry, ids.get(entry) ?? '', names)),
      )
      const created = new Map(this.repository.addGraph(tx, prepared).map((bead) => [bead.id, bead]))
      const beads = entries.flatMap((entry) => created.get(ids.get(entry) ?? '') ?? [])
      return { beads, names: Object.fromEntries(names) }
    }, actorOf(caller))
  }

  update(caller: Caller, { updates }: BeadsBulkUpdate, force = false): Promise<OKResponseBody> {
    checkRowCount(
      'labels',
      updates.map(({ labels = [], remove_labels = [] }) => labels.length + remove_labels.length),
    )
    return this.store.write((tx) => {
      for (const [index, update] of updates.entries()) {
        locateErrors(`updates[${index}]`, () => this.#update(tx, caller, update, force))
      }
      return { status: 'updated' }
    }, actorOf(caller))
  }

  /** An id for each entry: in the order of the entries, for each rig. */
  #reserveIds(tx: Tx, entries: readonly BeadEntry[], places: ReadonlyMap<BeadEntry, string>): Map<BeadEntry, string> {
    const ids = new Map<BeadEntry, string>()
    for (const [rig, own] of Map.groupBy(entries, (entry) => entry.rig ?? '')) {
      const [first] = own
      const place = (first && places.get(first)) ?? ''
      const reserved = locateErrors(place, () => this.repository.reserveIds(tx, rig, own.length))
      own.forEach((entry, at) => void ids.set(entry, reserved[at] ?? ''))
    }
    return ids
  }

  #prepare(
    tx: Tx,
    { name: _, needs = [], parent, ...body }: BeadEntry,
    id: string,
    names: ReadonlyMap<string, string>,
  ): PreparedBead {
    const edges = needs.map((need): Edge => {
      const { type, target } = parseNeed(need)
      if (!names.has(target)) this.#requireBead(target)
      return { type, target: names.get(target) ?? target }
    })
    if (parent && !names.has(parent)) this.repository.requireParent(parent)
    const draft = this.requests.draft(tx, body, withoutReplaced(edges))
    return this.repository.prepare({
      ...draft,
      id,
      ...(parent !== undefined && { parent: names.get(parent) ?? parent }),
    })
  }

  #update(tx: Tx, caller: Caller, { id, append_metadata: lines, ...change }: BeadChangeEntry, force: boolean): void {
    const metadata = lines ? { ...change.metadata, ...this.#extended(id, lines, change.metadata) } : change.metadata
    this.requests.update(tx, caller, id, { ...change, ...(metadata && { metadata }) }, force)
  }

  /** The values of metadata keys, each with one more line. */
  #extended(
    id: string,
    lines: Readonly<Record<string, string>>,
    written: Readonly<Record<string, string>> = {},
  ): Record<string, string> {
    const before = { ...this.repository.get(id).metadata, ...written }
    return Object.fromEntries(
      Object.entries(lines).map(([key, line]) => [key, before[key] ? `${before[key]}\n${line}` : line]),
    )
  }

  #requireBead(id: string): void {
    if (this.repository.find(id)) return
    throw new AppError('invalid-request', `it needs ${id}: there is no such bead, and no entry of that name`)
  }
}

interface Edge {
  type: string
  target: string
}

/** Needs as they are in the end: a later type replaces an earlier one, but for a part beside another. */
const withoutReplaced = (edges: readonly Edge[]): string[] =>
  edges
    .filter(({ type, target }, at) => {
      const isPart = type === 'parent-child'
      return !edges.slice(at + 1).some((later) => later.target === target && (later.type === 'parent-child') === isPart)
    })
    .map(({ type, target }) => `${type}:${target}`)

/** The names and ids that an entry refers to: its parent and what it needs. */
const referencesOf = ({ parent, needs = [] }: BeadEntry): string[] => [
  ...(parent === undefined ? [] : [parent]),
  ...needs.map((need) => parseNeed(need).target),
]

/** Sorts entries so that each comes after those it refers to; throws for a name used twice and for a cycle. */
function sortByReference(entries: readonly BeadEntry[]): Set<BeadEntry> {
  const byName = entriesByName(entries)
  const referencedNames = (entry: BeadEntry | undefined) =>
    entry ? referencesOf(entry).filter((name) => byName.has(name)) : []
  for (const name of byName.keys()) {
    const cycle = findCycle(name, (from) => referencedNames(byName.get(from)))
    if (!cycle) continue
    const place = `beads[${entries.findIndex((entry) => entry.name === cycle[0])}]`
    throw locatedAt(place, new AppError('invalid-request', `entries would wait for each other, ${cycle.join(' → ')}`))
  }
  const sorted = new Set<BeadEntry>()
  const visit = (entry: BeadEntry | undefined) => {
    if (!entry || sorted.has(entry)) return
    for (const name of referencedNames(entry)) visit(byName.get(name))
    sorted.add(entry)
  }
  for (const entry of entries) visit(entry)
  return sorted
}

function entriesByName(entries: readonly BeadEntry[]): Map<string, BeadEntry> {
  const byName = new Map<string, BeadEntry>()
  for (const [index, entry] of entries.entries()) {
    if (entry.name === undefined) continue
    if (byName.has(entry.name)) {
      throw invalidField(`body.beads[${index}].name`, `${entry.name} is the name of two entries`)
    }
    byName.set(entry.name, entry)
  }
  return byName
}

function checkRowCount(what: string, counts: readonly number[]): void {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total <= MAX_ROWS) return
  throw new AppError('validation-failed', `at most ${MAX_ROWS} ${what} in all, not ${total}: send fewer per request`)
}

/** Runs the work of one entry; its errors say which entry failed. */
function locateErrors<T>(place: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof AppError ? locatedAt(place, error) : error
  }
}

function locatedAt(place: string, { code, message, status, fieldErrors }: AppError): AppError {
  const errors = fieldErrors.length > 0 ? fieldErrors : [{ message, location: 'body' }]
  const located = errors.map((error) => ({
    ...error,
    location: (error.location ?? 'body').replace(/^body/, `body.${place}`),
  }))
  return new AppError({ code, status }, `${place}: ${message}`, { fieldErrors: located })
}
