/** One version of one bead: the number of its row, and its revision. */
export interface BeadVersion {
  n: number
  revision: number
}

export interface RenderedBead extends BeadVersion {
  json: string
  /** Whether this version always renders the same: not so when a side table takes part. */
  isCacheable: boolean
}

type Entry = Pick<RenderedBead, 'revision' | 'json'>

/** How many characters each of the two generations of the cache holds. */
const GENERATION_SIZE = 4_000_000

/**
 * Beads as JSON, rendered once for every version that is read. Nothing here can be stale: an entry is found by the
 * revision that its reader has just read. Entries that nobody read while one generation was filled are dropped.
 */
export class BeadJsonCache {
  #current = new Map<number, Entry>()
  #previous = new Map<number, Entry>()
  #size = 0

  constructor(private readonly render: (numbers: number[]) => RenderedBead[]) {}

  /** This version as JSON, rendered when it is not cached. */
  get(version: BeadVersion, render: () => RenderedBead): string {
    const cached = this.#find(version)
    if (cached !== undefined) return cached
    const rendered = render()
    if (rendered.isCacheable) this.#set(rendered.n, rendered)
    return rendered.json
  }

  /** These versions as JSON, in their order. */
  list(versions: readonly BeadVersion[]): string[] {
    const cached = versions.map((version) => this.#find(version))
    const missing = versions.filter((_, index) => cached[index] === undefined).map(({ n }) => n)
    if (missing.length === 0) return cached.flatMap((json) => json ?? [])
    const rendered = this.render(missing)
    for (const bead of rendered) if (bead.isCacheable) this.#set(bead.n, bead)
    const jsonByNumber = new Map(rendered.map(({ n, json }) => [n, json]))
    return versions.flatMap(({ n }, index) => cached[index] ?? jsonByNumber.get(n) ?? [])
  }

  #find({ n, revision }: BeadVersion): string | undefined {
    const current = this.#current.get(n)
    if (current?.revision === revision) return current.json
    const previous = this.#previous.get(n)
    if (previous?.revision !== revision) return undefined
    this.#set(n, previous)
    return previous.json
  }

  #set(n: number, { revision, json }: Entry): void {
    this.#size += json.length - (this.#current.get(n)?.json.length ?? 0)
    this.#current.set(n, { revision, json })
    if (this.#size < GENERATION_SIZE) return
    this.#previous = this.#current
    this.#current = new Map()
    this.#size = 0
  }
}
