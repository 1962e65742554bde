import { AppError, invalidField } from '../../core/errors.ts'
import { type SaveResponse, withoutReplay } from '../../core/replays/replays.ts'
import type { Store, Tx } from '../../core/store.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { BeadChangeEntry, BeadEntry, BeadsBulkCreate, BeadsBulkUpdate, BeadsCreated } from './bulk-schema.ts'
import { findCycle } from './cycles.ts'
import { parseNeed } from './dependencies.ts'
import type { PreparedBead } from './draft.ts'
import type { BeadRepository } from './repository.ts'
import type { BeadRequests } from './requests.ts'

/** The most labels and needs of one request: each is a row of its own in one write. */
const MAX_ROWS = 1000

/** Creates and changes many beads at once: all of them or, when one fails, none. */
export class BulkBeads {
  constructor(
    private readonly store: Store,
    private readonly repository: BeadRepository,
    private readonly requests: BeadRequests,
  ) {}

  /** Entries may refer to each other, in any order. */
  create(
    caller: Caller,
    { beads: entries }: BeadsBulkCreate,
    saveResponse: SaveResponse = withoutReplay,
  ): Promise<BeadsCreated> {
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
      return saveResponse(tx, { beads, names: Object.fromEntries(names) })
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

/** Needs as they stand in the end: a later type replaces an earlier one, but for a part beside another. */
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
  throw new AppError('validation-failed', `at most ${MAX_ROWS} ${what} in all, not ${total}: send fewer at once`)
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
