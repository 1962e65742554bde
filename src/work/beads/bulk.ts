import { AppError, invalidField } from '../../core/errors.ts'
import { type SaveResponse, withoutReplay } from '../../core/replays/replays.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { Beads } from './beads.ts'
import type { BeadEntry, BeadsBulkCreate, BeadsBulkUpdate, BeadsCreated } from './bulk-schema.ts'
import { findCycle } from './cycles.ts'
import { edgeOf } from './dependencies.ts'
import type { Bead } from './schema.ts'

/** What many beads may have in all: each of these is a row of its own in the one write that makes them. */
const MOST_ROWS = 1000

/** Creates and changes many beads at once: all of them or, when one cannot be, none. */
export class Bulk {
  constructor(
    private readonly store: Store,
    private readonly beads: Beads,
  ) {}

  /** Entries may name each other, whatever their order. */
  create({ beads: entries }: BeadsBulkCreate, once: SaveResponse = withoutReplay): Promise<BeadsCreated> {
    checkRows(
      'labels and needs',
      entries.map(({ labels = [], needs = [] }) => labels.length + needs.length),
    )
    const order = inOrder(entries)
    return this.store.write((tx) => {
      const made = new Map<BeadEntry, Bead>()
      const names: Record<string, string> = {}
      for (const entry of order) {
        const place = `beads[${entries.indexOf(entry)}]`
        const bead = blaming(place, () => this.#create(tx, entry, new Map(Object.entries(names))))
        made.set(entry, bead)
        if (entry.name !== undefined) names[entry.name] = bead.id
      }
      return once(tx, { beads: entries.flatMap((entry) => made.get(entry) ?? []), names })
    })
  }

  update(caller: Caller, { updates }: BeadsBulkUpdate): Promise<OKResponseBody> {
    checkRows(
      'labels',
      updates.map(({ labels = [], remove_labels = [] }) => labels.length + remove_labels.length),
    )
    return this.store.write((tx) => {
      for (const [at, { id, ...change }] of updates.entries()) {
        blaming(`updates[${at}]`, () => this.beads.updateIn(tx, caller, id, change))
      }
      return { status: 'updated' }
    })
  }

  #create(tx: Tx, { name: _, needs = [], parent, ...body }: BeadEntry, names: ReadonlyMap<string, string>): Bead {
    const idOf = (told: string) => names.get(told) ?? told
    const edges = needs.map((need) => {
      const { type, target } = edgeOf(need)
      this.#needBead(idOf(target))
      return `${type}:${idOf(target)}`
    })
    return this.beads.createIn(tx, { ...body, ...(parent !== undefined && { parent: idOf(parent) }) }, edges)
  }

  #needBead(id: string): void {
    if (this.beads.find(id)) return
    throw new AppError('invalid-request', `it needs ${id}: there is no such bead, and no entry of that name`)
  }
}

/** What an entry refers to: its parent and what it needs. */
const told = ({ parent, needs = [] }: BeadEntry): string[] => [
  ...(parent === undefined ? [] : [parent]),
  ...needs.map((need) => edgeOf(need).target),
]

/** The entries so that each comes after those it names; refuses names that are taken and entries that wait for each other. */
function inOrder(entries: readonly BeadEntry[]): Set<BeadEntry> {
  const named = new Map<string, BeadEntry>()
  for (const [at, entry] of entries.entries()) {
    if (entry.name === undefined) continue
    if (named.has(entry.name)) throw invalidField(`body.beads[${at}].name`, `${entry.name} is the name of two entries`)
    named.set(entry.name, entry)
  }
  const inner = (entry: BeadEntry | undefined) => (entry ? told(entry).filter((name) => named.has(name)) : [])
  for (const name of named.keys()) {
    const cycle = findCycle(name, (at) => inner(named.get(at)))
    if (!cycle) continue
    const place = `beads[${entries.findIndex((entry) => entry.name === cycle[0])}]`
    throw blamed(place, new AppError('invalid-request', `entries would wait for each other, ${cycle.join(' → ')}`))
  }
  const order = new Set<BeadEntry>()
  const visit = (entry: BeadEntry | undefined) => {
    if (!entry || order.has(entry)) return
    for (const name of inner(entry)) visit(named.get(name))
    order.add(entry)
  }
  for (const entry of entries) visit(entry)
  return order
}

function checkRows(what: string, counts: readonly number[]): void {
  const all = counts.reduce((sum, count) => sum + count, 0)
  if (all <= MOST_ROWS) return
  throw new AppError('validation-failed', `at most ${MOST_ROWS} ${what} in all, not ${all}: send fewer at once`)
}

/** Does something of which one entry is at fault when it is refused. */
function blaming<T>(place: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof AppError ? blamed(place, error) : error
  }
}

function blamed(place: string, { code, message, status, fieldErrors: faults }: AppError): AppError {
  const own = faults.length > 0 ? faults : [{ message, location: 'body' }]
  const placed = own.map((fault) => ({
    ...fault,
    location: (fault.location ?? 'body').replace(/^body/, `body.${place}`),
  }))
  return new AppError({ code, status }, `${place}: ${message}`, { fieldErrors: placed })
}
