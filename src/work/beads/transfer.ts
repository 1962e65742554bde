import type { Statement } from 'bun:sqlite'
import { AppError } from '../../core/errors.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Caller } from '../../http/caller.ts'
import type { Comments, Remark } from '../comments/comments.ts'
import type { Beads } from './beads.ts'
import { fromLines, type Portable, toLine } from './portable.ts'
import type { BeadsImported } from './schema.ts'

/** How many beads are read, or written, in one go; of comments, each of which looks at all others of its bead, fewer. */
const SLICE = 50
const COMMENTS = 20
/** Characters that are read in one go, roughly. */
const CHARACTERS = 256 * 1024

/** Beads of these types tell of something that runs here, and mean nothing elsewhere. */
const isLocal = ({ row: { type, labels } }: Portable): boolean =>
  type === 'session' || (JSON.parse(labels) as string[]).includes('gc:wait')

/** Takes the beads of a city out as JSON lines, and puts them in again: ids, times, labels, edges and all. */
export class Transfer {
  readonly #page: Statement<{ id: string; rig: string }, [string, number]>

  constructor(
    private readonly store: Store,
    private readonly beads: Beads,
    private readonly comments: Comments,
    private readonly rigs: () => readonly { readonly name: string; readonly prefix: string }[],
  ) {
    this.#page = store.prepare(stablePlan('SELECT id, rig FROM beads WHERE id > ? ORDER BY id LIMIT ?'))
  }

  /** A line for each bead there is, closed ones too, in slices as they are read. */
  export(): ReadableStream<Uint8Array> {
    const slices = this.#slices()
    const encoder = new TextEncoder()
    return new ReadableStream({
      pull: (controller) => {
        const { done, value } = slices.next()
        if (done) return controller.close()
        controller.enqueue(encoder.encode(value))
      },
    })
  }

  /** Writes each bead as its line says it is, whether or not there is one of its id; the same file again changes nothing. */
  async import(caller: Caller, bytes: Uint8Array): Promise<BeadsImported> {
    if (caller.kind === 'session') throw new AppError('forbidden', 'forbidden: a session may not import beads')
    const all = fromLines(bytes, (id, named) => this.#rig(id, named))
    const wanted = all.filter((one) => !isLocal(one))
    const done = { created: 0, updated: 0, unchanged: 0, skipped: all.length - wanted.length }
    for (let at = 0; at < wanted.length; at += SLICE) {
      const slice = wanted.slice(at, at + SLICE)
      const outcomes = await this.store.write((tx: Tx) =>
        slice.map((one) => this.beads.restore(tx, one.row, one.edges)),
      )
      for (const outcome of outcomes) done[outcome]++
      const commented = await this.#restoreComments(slice)
      const also = slice.filter(({ row }, n) => outcomes[n] === 'unchanged' && commented.has(row.id)).length
      done.unchanged -= also
      done.updated += also
    }
    return done
  }

  /** Writes the comments that are not here as their lines say; the beads that had some. */
  async #restoreComments(beads: readonly Portable[]): Promise<Set<string>> {
    const all = beads.flatMap(({ row, comments }) => comments.map((remark): [string, Remark] => [row.id, remark]))
    const changed = new Set<string>()
    for (let at = 0; at < all.length; at += COMMENTS) {
      const slice = all.slice(at, at + COMMENTS)
      const written = await this.store.write((tx: Tx) =>
        slice.filter(([id, remark]) => this.comments.restore(tx, id, remark)),
      )
      for (const [id] of written) changed.add(id)
    }
    return changed
  }

  *#slices(): Generator<string, void> {
    for (let after = ''; ; ) {
      const page = this.#page.all(after, SLICE)
      const last = page.at(-1)
      if (!last) return
      after = last.id
      yield* this.#lines(page)
    }
  }

  *#lines(page: readonly { id: string; rig: string }[]): Generator<string, void> {
    const rigs = new Map(page.map(({ id, rig }) => [id, rig]))
    let text = ''
    for (const bead of this.beads.some([...rigs.keys()])) {
      text += `${toLine(bead, rigs.get(bead.id) ?? '', this.comments.of(bead.id))}\n`
      if (text.length < CHARACTERS) continue
      yield text
      text = ''
    }
    if (text !== '') yield text
  }

  /** The rig a bead names, if this city has it; else the one whose prefix its id has. */
  #rig(id: string, named: string | null | undefined): string {
    const rigs = this.rigs()
    const own = rigs.find(({ name }) => name === named) ?? rigs.find(({ prefix }) => id.startsWith(`${prefix}-`))
    return own?.name ?? ''
  }
}
