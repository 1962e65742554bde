import type { Statement } from 'bun:sqlite'
import type { Actor } from '../../core/actor.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { BeadRepository } from '../beads/repository.ts'
import type { RestoreOutcome } from '../beads/restorer.ts'
import type { CommentDraft, Comments } from '../comments/comments.ts'
import { formatLine, type ImportedLine, parseLines } from './line.ts'
import type { BeadsImported } from './schema.ts'

export interface BeadTransferOptions {
  store: Store
  beads: BeadRepository
  comments: Comments
  rigs(): readonly { readonly name: string; readonly prefix: string }[]
}

/** How many beads are read or written at once. */
const BEADS_PER_SLICE = 50
/** How many of these share a commit: the loop is free between commits. */
const SLICES_PER_COMMIT = 4
/** How many comments are written at once: each examines all others of its bead. */
const COMMENTS_PER_SLICE = 20
/** About how many characters are read at once. */
const CHARACTERS_PER_SLICE = 256 * 1024

const chunk = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))

/** Whether a bead stands for something that runs here, and means nothing in another city. */
const isLocal = ({ values: { type, labels } }: ImportedLine): boolean =>
  type === 'session' || (JSON.parse(labels) as string[]).includes('gc:wait')

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
  readonly #page: Statement<{ id: string; rig: string }, [string, number]>

  constructor(options: BeadTransferOptions) {
    this.#options = options
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

  /** Writes each bead as its line says, whether or not it exists; importing the same lines again changes nothing. */
  async import(caller: Caller, bytes: Uint8Array): Promise<BeadsImported> {
    const all = parseLines(bytes, (id, named) => this.#rigOf(id, named))
    const imported = all.filter((bead) => !isLocal(bead))
    const result = { created: 0, updated: 0, unchanged: 0, skipped: all.length - imported.length }
    const slices = chunk(imported, BEADS_PER_SLICE)
    for (const together of chunk(slices, SLICES_PER_COMMIT)) {
      const outcomes = await Promise.all(together.map((slice) => this.#restore(slice, actorOf(caller))))
      for (const outcome of outcomes.flat()) result[outcome]++
    }
    return result
  }

  /** Writes some beads, and then their comments; what became of each. */
  async #restore(slice: readonly ImportedLine[], actor: Actor): Promise<RestoreOutcome[]> {
    const { store, beads } = this.#options
    const outcomes = await store.write((tx) => beads.restore(tx, slice), actor)
    const commented = await this.#restoreComments(slice, actor)
    return outcomes.map((outcome, index) =>
      outcome === 'unchanged' && commented.has(slice[index]?.values.id ?? '') ? 'updated' : outcome,
    )
  }

  /** Writes the comments that differ; returns the ids of the beads that had some. */
  async #restoreComments(beads: readonly ImportedLine[], actor: Actor): Promise<Set<string>> {
    const { store, comments } = this.#options
    const all = beads.flatMap(({ values, comments }) =>
      comments.map((comment): [string, CommentDraft] => [values.id, comment]),
    )
    const changed = new Set<string>()
    for (let start = 0; start < all.length; start += COMMENTS_PER_SLICE) {
      const slice = all.slice(start, start + COMMENTS_PER_SLICE)
      const written = await store.write(
        (tx) => slice.filter(([id, comment]) => comments.restore(tx, id, comment)),
        actor,
      )
      for (const [id] of written) changed.add(id)
    }
    return changed
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

  /** The rig a bead names, if this city has it; else the one whose prefix its id has. */
  #rigOf(id: string, named: string | null | undefined): string {
    const rigs = this.#options.rigs()
    const rig = rigs.find(({ name }) => name === named) ?? rigs.find(({ prefix }) => id.startsWith(`${prefix}-`))
    return rig?.name ?? ''
  }
}
