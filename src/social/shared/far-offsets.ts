import type { Clock } from '../../core/clock.ts'
import { Turns } from '../../http/respond/index.ts'

/** A sort key: the numbers a list is ordered by. */
export type Key = readonly number[]

/** Start of the page at an offset: this many rows after a key. */
export interface PageStart {
  readonly after: Key
  readonly skip: number
}

/** A place in a list: `offset` rows are before or at `key`. */
interface Anchor {
  readonly offset: number
  readonly key: Key
  readonly at: number
}

/** Up to here every page is counted from the first row, so that it is what the list has at that offset now. */
const NEAR = 1_000
/** Number of rows that are skipped in one statement, and how far the anchors of a list are apart. */
const STRIDE = 1_000
/** Maximum remembered lists and places in them, with their lifetime. */
const MAX_LISTS = 1_000
const MAX_ANCHORS = 20_000
const MAX_AGE = 10 * 60_000

/**
 * Finds pages far down a list. Anyone who reads page by page continues from where the last page ended, which costs the
 * same on every page; a jump walks there in slices and leaves anchors for the next one.
 */
export class FarOffsets {
  /** The anchors of each list by stride; the list that was used last comes last. */
  readonly #lists = new Map<string, Map<number, Anchor>>()
  readonly #turns = new Turns(1)
  #count = 0

  constructor(private readonly clock: Clock) {}

  /** `skip` returns the key so many rows after another; undefined when there are fewer. */
  async find(
    list: string,
    offset: number,
    start: Key,
    skip: (after: Key, count: number) => Key | undefined | Promise<Key | undefined>,
  ): Promise<PageStart> {
    if (offset <= NEAR) return { after: start, skip: offset }
    let { offset: at, key } = this.#nearest(list, offset) ?? { offset: 0, key: start }
    while (offset - at >= STRIDE) {
      await this.#turns.next()
      const next = await skip(key, STRIDE)
      if (!next) break
      at += STRIDE
      key = next
      this.remember(list, at, key)
    }
    return { after: key, skip: offset - at }
  }

  /** Remembers that so many rows of a list are before or at a key. */
  remember(list: string, offset: number, key: Key): void {
    if (offset <= NEAR) return
    const anchors = this.#lists.get(list) ?? new Map<number, Anchor>()
    const stride = Math.floor(offset / STRIDE)
    if (!anchors.has(stride)) this.#count++
    anchors.set(stride, { offset, key, at: this.clock.now() })
    this.#lists.delete(list)
    this.#lists.set(list, anchors)
    this.#shrink(list)
  }

  #nearest(list: string, offset: number): Anchor | undefined {
    const oldest = this.clock.now() - MAX_AGE
    let nearest: Anchor | undefined
    for (const anchor of this.#lists.get(list)?.values() ?? []) {
      const isUsable = anchor.offset <= offset && anchor.at >= oldest
      if (isUsable && anchor.offset > (nearest?.offset ?? 0)) nearest = anchor
    }
    return nearest
  }

  /** Forgets the lists that were not used for longest. */
  #shrink(current: string): void {
    for (const [list, anchors] of this.#lists) {
      if (this.#lists.size <= MAX_LISTS && this.#count <= MAX_ANCHORS) return
      if (list === current) {
        this.#thin(anchors)
        return
      }
      this.#lists.delete(list)
      this.#count -= anchors.size
    }
  }

  /** Forgets every second place of a list that is larger than all may be together. */
  #thin(anchors: Map<number, Anchor>): void {
    for (const [index, stride] of [...anchors.keys()].entries()) {
      if (index % 2 === 1 && anchors.delete(stride)) this.#count--
    }
  }
}
