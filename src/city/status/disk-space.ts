import { statfs } from 'node:fs/promises'
import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import type { CityContext } from '../../core/city-context.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import { Signal } from '../../core/signal.ts'

const MIB = 1024 * 1024
/** Free bytes below which a disk needs attention. */
const FLOOR = 256 * MIB
/** Free bytes from which it does not any more, so that an item does not come and go. */
const ENOUGH = 320 * MIB
/** Milliseconds between two looks at least. */
const INTERVAL_MS = 60_000

/**
 * True if the disks of a city and of `$GC_HOME` have room: looked up within a minute of an event, and every minute
 * while one of them has not. A city in which nothing happens looks at nothing.
 */
export class DiskSpace implements AttentionSource {
  readonly name = 'disk'
  readonly #changed = new Signal()
  readonly #low = new Map<string, number>()
  readonly #freeAt: (folder: string) => Promise<number>
  #isKnown = false
  #isStopped = false
  #deadline: Deadline | undefined
  #unsubscribe = () => {}

  constructor(
    private readonly context: Pick<CityContext, 'deadlines' | 'log' | 'report'>,
    private readonly options: {
      /** The folders whose disks must have room. */
      folders: readonly string[]
      /** Free bytes where a folder lies. */
      freeAt?(folder: string): Promise<number>
    },
  ) {
    this.#freeAt = options.freeAt ?? freeBytes
  }

  async start(): Promise<void> {
    await this.#look()
    this.#unsubscribe = this.context.log.subscribe(() => this.#lookLater())
  }

  stop(): void {
    this.#isStopped = true
    this.#unsubscribe()
    this.#deadline?.cancel()
  }

  items(): AttentionEntry[] | undefined {
    if (!this.#isKnown) return undefined
    return [...this.#low].map(([folder, free]) => ({
      ...{ id: `disk:${folder}`, kind: 'disk' },
      asks: `The disk of ${folder} is nearly full: ${Math.floor(free / MIB)} MiB are free, and nothing can be stored once it is full.`,
      to_do: `free some space there; gc doctor shows how much is left`,
    }))
  }

  readonly onChange = this.#changed.listen

  #lookLater(): void {
    if (!this.#isStopped) this.#deadline ??= this.context.deadlines.interval(INTERVAL_MS, () => this.#look())
  }

  async #look(): Promise<void> {
    this.#deadline = undefined
    const before = [...this.#low.keys()]
    for (const folder of this.options.folders) await this.#measure(folder)
    if (this.#isStopped) return
    const isNews = !this.#isKnown || before.length !== this.#low.size || before.some((folder) => !this.#low.has(folder))
    this.#isKnown = true
    if (this.#low.size > 0) this.#lookLater()
    if (isNews) this.#changed.emit()
  }

  async #measure(folder: string): Promise<void> {
    try {
      const free = await this.#freeAt(folder)
      if (free < FLOOR || (free < ENOUGH && this.#low.has(folder))) this.#low.set(folder, free)
      else this.#low.delete(folder)
    } catch (error) {
      this.#low.delete(folder)
      this.context.report(`the free space of ${folder}: ${errorMessage(error)}`)
    }
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
