import type { Markup } from '../../http/html.ts'

interface Entry {
  readonly rendered: Markup
  readonly visitor: string
  readonly bytes: number
}

/** Rendered pages of one visitor, least recently used first. */
interface Share {
  bytes: number
  readonly keys: Set<string>
}

interface Bounds {
  readonly bytes: number
  readonly entries: number
}

const DEFAULT_BOUNDS: Bounds = { bytes: 16 * 1024 * 1024, entries: 4_000 }
/** Approximate overhead of an entry beside its text. */
const ENTRY_BYTES = 256

/**
 * Keeps rendered texts. When it is full, the visitor who had the most rendered loses the least recently used: anyone
 * who goes through all pages does not push out what others read.
 */
export class RenderedTexts {
  readonly #entries = new Map<string, Entry>()
  readonly #shares = new Map<string, Share>()
  #bytes = 0

  constructor(private readonly bounds: Bounds = DEFAULT_BOUNDS) {}

  get size(): Bounds {
    return { bytes: this.#bytes, entries: this.#entries.size }
  }

  get(key: string): Markup | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    const share = this.#shares.get(entry.visitor)
    share?.keys.delete(key)
    share?.keys.add(key)
    return entry.rendered
  }

  /** Keeps a text that a visitor was the first to ask for. */
  add(key: string, rendered: Markup, visitor: string): void {
    this.#delete(key)
    const bytes = rendered.text.length * 2 + ENTRY_BYTES
    this.#entries.set(key, { rendered, visitor, bytes })
    const share = this.#shares.get(visitor) ?? { bytes: 0, keys: new Set() }
    share.keys.add(key)
    share.bytes += bytes
    this.#shares.set(visitor, share)
    this.#bytes += bytes
    while (this.#entries.size > this.bounds.entries) this.#deleteOldest(({ keys }) => keys.size)
    while (this.#bytes > this.bounds.bytes) this.#deleteOldest((each) => each.bytes)
  }

  /** Deletes the least recently used text of the visitor with the largest share. */
  #deleteOldest(sizeOf: (share: Share) => number): void {
    let largest: Share = { bytes: 0, keys: new Set() }
    for (const share of this.#shares.values()) if (sizeOf(share) > sizeOf(largest)) largest = share
    const [oldest = ''] = largest.keys
    this.#delete(oldest)
  }

  #delete(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
    const share = this.#shares.get(entry.visitor)
    if (!share) return
    share.keys.delete(key)
    share.bytes -= entry.bytes
    if (share.keys.size === 0) this.#shares.delete(entry.visitor)
  }
}
