import { RecentValues } from '../../core/recent-values.ts'

/** One version of one bead: the number of its row, and its revision. */
export interface BeadVersion {
  readonly n: number
  readonly revision: number
}

export interface RenderedBead extends BeadVersion {
  readonly json: string
  /** True if this version always renders the same: not so when a side table takes part. */
  readonly isCacheable: boolean
}

/** Maximum characters in each of the two generations of the cache. */
const GENERATION_SIZE = 4_000_000

/**
 * Beads as JSON, rendered once for every version that is read. Nothing here can be stale: an entry is found by the
 * revision that its reader has just read.
 */
export class BeadJsonCache {
  readonly #beads = new RecentValues<number, RenderedBead>(GENERATION_SIZE, ({ json }) => json.length)

  constructor(private readonly render: (numbers: number[]) => RenderedBead[]) {}

  /** This version as JSON, rendered when it is not cached. */
  get(version: BeadVersion, render: () => RenderedBead): string {
    const cached = this.#find(version)
    if (cached) return cached.json
    return this.keep(render())
  }

  /** These beads in their order. One that has changed since its version was read is there as it is now, or gone. */
  list(versions: readonly BeadVersion[]): RenderedBead[] {
    const cached = versions.map((version) => this.#find(version))
    const missing = versions.filter((_, index) => cached[index] === undefined).map(({ n }) => n)
    if (missing.length === 0) return cached.flatMap((bead) => bead ?? [])
    const rendered = new Map(this.render(missing).map((bead) => [bead.n, bead]))
    for (const bead of rendered.values()) this.#add(bead)
    return versions.flatMap(({ n }, index) => cached[index] ?? rendered.get(n) ?? [])
  }

  /** A bead as JSON that was just rendered; the next reader of this version finds it here. */
  keep(rendered: RenderedBead): string {
    this.#add(rendered)
    return rendered.json
  }

  #find({ n, revision }: BeadVersion): RenderedBead | undefined {
    const cached = this.#beads.get(n)
    return cached?.revision === revision ? cached : undefined
  }

  #add(bead: RenderedBead): void {
    if (bead.isCacheable) this.#beads.set(bead.n, bead)
  }
}
