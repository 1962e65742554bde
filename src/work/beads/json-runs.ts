import { RecentValues } from '../../core/recent-values.ts'
import { MAX_PAGE_BYTES } from '../../http/respond/index.ts'
import type { BeadJsonCache, BeadVersion, RenderedBead } from './json-cache.ts'

/** Beads that follow each other in a list, as JSON with commas between them. */
export interface JsonRun {
  readonly beads: readonly RenderedBead[]
  readonly json: string
  /** Size in bytes. */
  readonly bytes: number
  /** True if these versions always render the same. */
  readonly isCacheable: boolean
}

/** The beads of a page as JSON, and how many of those that were asked for had room. */
export interface JsonPage {
  readonly json: string
  readonly length: number
}

/** Maximum number of beads a run has; it has half of that on average. */
const MAX_RUN = 32
/** A larger run is not cached. */
const MAX_CACHED_BYTES = 256 * 1024
/** Maximum bytes in each of the two generations of the cache. */
const GENERATION_SIZE = 4_000_000

/**
 * Lists of beads as JSON, in runs that are written once for as long as each bead in them has the revision that the
 * reader of the list has just read. A run ends at certain beads, not at certain positions: a bead that comes, goes or
 * changes in a long list changes one run of it.
 */
export class BeadJsonRuns {
  readonly #runs = new RecentValues<number, JsonRun>(GENERATION_SIZE, ({ bytes }) => bytes)

  constructor(private readonly cache: BeadJsonCache) {}

  /** These beads in their order. */
  *list(versions: readonly BeadVersion[]): Generator<JsonRun, void> {
    for (let start = 0; start < versions.length; ) {
      const end = endOfRun(versions, start)
      const run = this.#find(versions, start, end) ?? this.#render(versions.slice(start, end))
      if (run.beads.length > 0) yield run
      start = end
    }
  }

  /** As many of these beads as one page has room for. */
  page(versions: readonly BeadVersion[]): JsonPage {
    let [json, length, size] = ['', 0, 0]
    const add = (more: string) => {
      json = length === 0 ? more : `${json},${more}`
    }
    for (const run of this.list(versions)) {
      if (size + run.bytes > MAX_PAGE_BYTES) {
        const fitting = fittingBeads(run, MAX_PAGE_BYTES - size, length === 0 ? 1 : 0)
        if (fitting.length > 0) add(fitting.join(','))
        return { json, length: length + fitting.length }
      }
      add(run.json)
      length += run.beads.length
      size += run.bytes + 1
    }
    return { json, length }
  }

  #find(versions: readonly BeadVersion[], start: number, end: number): JsonRun | undefined {
    const run = this.#runs.get(keyOf(versions, start, end))
    return run?.beads.every((bead, index) => isSameVersion(bead, versions[start + index])) ? run : undefined
  }

  #render(versions: readonly BeadVersion[]): JsonRun {
    const beads = this.cache.list(versions)
    const json = beads.map((bead) => bead.json).join(',')
    const isCacheable = beads.length === versions.length && beads.every((bead) => bead.isCacheable)
    const run = { beads, json, bytes: Buffer.byteLength(json), isCacheable }
    if (isCacheable && run.bytes <= MAX_CACHED_BYTES) this.#runs.set(keyOf(versions, 0, versions.length), run)
    return run
  }
}

const isSameVersion = (one: BeadVersion, other: BeadVersion | undefined): boolean =>
  one.n === other?.n && one.revision === other.revision

/** Runs of one beginning and length replace each other. */
const keyOf = (versions: readonly BeadVersion[], start: number, end: number): number =>
  (versions[start]?.n ?? 0) * (MAX_RUN + 1) + end - start

/** The index after the last bead of the run that begins at `start`. */
function endOfRun(versions: readonly BeadVersion[], start: number): number {
  const last = Math.min(start + MAX_RUN, versions.length)
  for (let end = start + 1; end < last; end++) if (endsRun(versions[end - 1]?.n ?? 0)) return end
  return last
}

/** True if a run ends after the bead of this number, as it does after one in sixteen. */
const endsRun = (n: number): boolean => Math.imul(n, 0x9e3779b1) >>> 28 === 0

/** The first beads of a run that have so much room together, or at least so many. */
function fittingBeads({ beads }: JsonRun, bytes: number, least: number): string[] {
  let size = 0
  const end = beads.findIndex(({ json }, index) => {
    size += Buffer.byteLength(json) + 1
    return size > bytes && index >= least
  })
  return beads.slice(0, end < 0 ? undefined : end).map(({ json }) => json)
}
