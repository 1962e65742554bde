import type { Actor } from '../../core/actor.ts'
import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import type { EventLog } from '../../core/events/log.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Statement } from '../../core/statement.ts'
import type { Store } from '../../core/store.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { BeadRepository } from '../beads/repository.ts'
import type { RestoreOutcome } from '../beads/restorer.ts'
import type { Comments } from '../comments/comments.ts'
import type { BulkImported } from './bulk/bulk-importer.ts'
import { ImportWorker } from './bulk/import-worker.ts'
import {
  formatLine,
  type ImportedLine,
  isLocal,
  parseBead,
  parseLines,
  type RigPrefix,
  rigFinder,
} from './lines/line.ts'
import type { BeadsImported } from './schema.ts'

export interface BeadTransferOptions {
  store: Store
  beads: BeadRepository
  log: EventLog
  clock: Clock
  deadlines: Deadlines
  comments: Comments
  rigs(): readonly RigPrefix[]
}

/** Files of less are imported line by line: a thread to import them would take as long to start. */
const MIN_BULK_BYTES = 64 * 1024

/** How many beads are read or changed at once. */
const BEADS_PER_SLICE = 50
/** How many are changed in one go: the loop is free in between. */
const BEADS_PER_COMMIT = 4 * BEADS_PER_SLICE
/** About how many characters are read at once. */
const CHARACTERS_PER_SLICE = 256 * 1024

const chunk = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))

/** Lines as the items of a list. */
function* asList(slices: Iterable<string>): Generator<string, void> {
  let separator = '{"items":['
  for (const lines of slices) {
    yield separator + lines.trimEnd().replaceAll('\n', ',')
    separator = ','
  }
  yield separator === ',' ? ']}' : `${separator}]}`
}

/** Exports the beads of a city as JSON lines, and imports them with their ids, times, labels and dependencies. */
export class BeadTransfer {
  readonly #options: BeadTransferOptions
  readonly #worker: ImportWorker
  readonly #page: Statement<{ id: string; rig: string }, [string, number]>

  constructor(options: BeadTransferOptions) {
    this.#options = options
    this.#worker = new ImportWorker(options.deadlines)
    this.#page = options.store.prepare(stablePlan('SELECT id, rig FROM beads WHERE id > ? ORDER BY id LIMIT ?'))
  }

  /** One object for each bead, closed ones too, read in slices: as lines, or as one list. */
  export(form: 'lines' | 'list' = 'lines'): ReadableStream<Uint8Array> {
    const slices = form === 'list' ? asList(this.#slices()) : this.#slices()
    const encoder = new TextEncoder()
    return new ReadableStream({
      pull: (controller) => {
        const { done, value } = slices.next()
        if (done) return controller.close()
        controller.enqueue(encoder.encode(value))
      },
    })
  }

  /**
   * Writes each bead as its line says, whether or not it exists; importing the same lines again changes nothing. A small
   * file is written whole or not at all. Of a large one all new beads are written together; then those that exist are
   * changed some at a time, so that others can write meanwhile.
   */
  async import(caller: Caller, bytes: Uint8Array, signal: AbortSignal): Promise<BeadsImported> {
    const actor = actorOf(caller)
    if (bytes.length >= MIN_BULK_BYTES) return this.#importLarge(bytes, actor, signal)
    const all = parseLines(bytes, rigFinder(this.#options.rigs()))
    const imported = all.filter((bead) => !isLocal(bead))
    const result = { created: 0, updated: 0, unchanged: 0, skipped: all.length - imported.length }
    for (const outcome of await this.#restore(imported, actor)) result[outcome]++
    return result
  }

  /** Ends what imports; none is under way. */
  stop(): void {
    this.#worker.stop()
  }

  async #importLarge(bytes: Uint8Array, actor: Actor, signal: AbortSignal): Promise<BeadsImported> {
    const { rest, ...imported } = await this.#importInWorker(bytes, actor, signal)
    const result = { ...imported, updated: 0 }
    const rigOf = rigFinder(this.#options.rigs())
    for (const lines of chunk(rest, BEADS_PER_COMMIT)) {
      signal.throwIfAborted()
      const beads = lines.map((line, index) => parseBead(line, index + 1, rigOf))
      const outcomes = await Promise.all(chunk(beads, BEADS_PER_SLICE).map((slice) => this.#restore(slice, actor)))
      for (const outcome of outcomes.flat()) result[outcome]++
    }
    return result
  }

  #importInWorker(bytes: Uint8Array, actor: Actor, signal: AbortSignal): Promise<BulkImported> {
    const { store, log, clock, beads, rigs } = this.#options
    return store.writeInWorker({
      run: (onProgress) =>
        this.#worker.run(
          {
            ...{ path: store.path, bytes, actor, now: clock.now(), separateTypes: beads.restorer.types },
            rigs: rigs().map(({ name, prefix }) => ({ name, prefix })),
          },
          { signal, onProgress },
        ),
      publish: () => log.publishRecorded(),
    })
  }

  /** Writes beads with their comments, all of them or none; what became of each. */
  #restore(lines: readonly ImportedLine[], actor: Actor): Promise<RestoreOutcome[]> {
    const { store, beads, comments } = this.#options
    return store.write((tx) => {
      const outcomes = beads.restorer.restore(tx, lines)
      return lines.map(({ values, comments: drafts }, index) => {
        const isCommented = comments.restore(tx, values.id, drafts)
        const outcome = outcomes[index] ?? 'unchanged'
        return outcome === 'unchanged' && isCommented ? 'updated' : outcome
      })
    }, actor)
  }

  *#slices(): Generator<string, void> {
    for (let after = ''; ; ) {
      const page = this.#page.all(after, BEADS_PER_SLICE)
      const last = page.at(-1)
      if (!last) return
      after = last.id
      yield* this.#lines(page)
    }
  }

  *#lines(page: readonly { id: string; rig: string }[]): Generator<string, void> {
    const { beads, comments } = this.#options
    const rigs = new Map(page.map(({ id, rig }) => [id, rig]))
    let lines = ''
    for (const bead of beads.list([...rigs.keys()])) {
      lines += `${formatLine(bead, rigs.get(bead.id) ?? '', comments.listAll(bead.id))}\n`
      if (lines.length < CHARACTERS_PER_SLICE) continue
      yield lines
      lines = ''
    }
    if (lines !== '') yield lines
  }
}
