import type { Statement } from 'bun:sqlite'
import { Refusal } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Caller } from '../../server/caller.ts'
import type { Beads } from './beads.ts'
import { fromLines, type Portable, toLine } from './portable.ts'
import type { BeadsImported } from './schema.ts'

/** How many beads are read, or written, in one go. */
const SLICE = 50

/** Beads of these types tell of something that runs here, and mean nothing elsewhere. */
const isLocal = ({ row: { type, labels } }: Portable): boolean =>
  type === 'session' || (JSON.parse(labels) as string[]).includes('gc:wait')

/** Takes the beads of a city out as JSON lines, and puts them in again: ids, times, labels, edges and all. */
export class Transfer {
  readonly #page: Statement<{ id: string; rig: string }, [string, number]>

  constructor(
    private readonly store: Store,
    private readonly beads: Beads,
    private readonly rigs: () => readonly { readonly name: string; readonly prefix: string }[],
  ) {
    this.#page = store.prepare('SELECT id, rig FROM beads WHERE id > ? ORDER BY id LIMIT ?')
  }

  /** A line for each bead there is, closed ones too, in slices as they are read. */
  export(): ReadableStream<Uint8Array> {
    let after = ''
    const encoder = new TextEncoder()
    return new ReadableStream({
      pull: (controller) => {
        const page = this.#page.all(after, SLICE)
        const last = page.at(-1)
        if (!last) return controller.close()
        after = last.id
        controller.enqueue(encoder.encode(this.#lines(page)))
      },
    })
  }

  /** Writes each bead as its line says it is, whether or not there is one of its id; the same file again changes nothing. */
  async import(caller: Caller, bytes: Uint8Array): Promise<BeadsImported> {
    if (caller.kind === 'session') throw new Refusal('forbidden', 'forbidden: a session may not import beads')
    const all = fromLines(bytes, (id, named) => this.#rig(id, named))
    const wanted = all.filter((one) => !isLocal(one))
    const done = { created: 0, updated: 0, unchanged: 0, skipped: all.length - wanted.length }
    for (let at = 0; at < wanted.length; at += SLICE) {
      const slice = wanted.slice(at, at + SLICE)
      const outcomes = await this.store.write((tx: Tx) =>
        slice.map((one) => this.beads.restore(tx, one.row, one.edges)),
      )
      for (const outcome of outcomes) done[outcome]++
    }
    return done
  }

  #lines(page: readonly { id: string; rig: string }[]): string {
    const rigs = new Map(page.map(({ id, rig }) => [id, rig]))
    return this.beads
      .some(page.map(({ id }) => id))
      .map((bead) => `${toLine(bead, rigs.get(bead.id) ?? '')}\n`)
      .join('')
  }

  /** The rig a bead names, if this city has it; else the one whose prefix its id has. */
  #rig(id: string, named: string | null | undefined): string {
    const rigs = this.rigs()
    const own = rigs.find(({ name }) => name === named) ?? rigs.find(({ prefix }) => id.startsWith(`${prefix}-`))
    return own?.name ?? ''
  }
}
