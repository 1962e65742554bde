import { eq } from 'drizzle-orm'
import { gcPart } from '../../core/actor.ts'
import type { AttentionResolution, AttentionSource } from '../../core/attention.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import type { EventAttributes } from '../../core/events/index.ts'
import type { Tx } from '../../core/store/index.ts'
import { AttentionCleared, AttentionRaised } from '../events.ts'
import type { AttentionMutes } from './mutes.ts'
import type { AttentionItem, AttentionList, ListedItem } from './schema.ts'
import { attention } from './table.ts'

interface AttentionOptions {
  sources: readonly AttentionSource<ListedItem>[]
  mutes: AttentionMutes
}

/** Difference between what a source lists now and what was announced. */
interface Difference {
  source: AttentionSource<ListedItem>
  raised: AttentionItem[]
  cleared: AttentionItem[]
}

const ATTENTION = gcPart('attention')
/** Maximum characters of a sentence in an event. */
const MAX_EVENT_TEXT = 1_000

/**
 * Everything in a city that waits for a person. Each source lists its own; what comes and goes is announced by one event
 * each, also over a restart, since what was announced is stored.
 */
export class Attention {
  /** Announced items, by id. */
  readonly #announced = new Map<string, { source: string; item: AttentionItem }>()
  readonly #changed = new Set<AttentionSource<ListedItem>>()
  /** Sources whose changes could not be written, such as on a full disk: announced with the next that change. */
  readonly #unannounced = new Set<AttentionSource<ListedItem>>()
  /** Automatic end times of items, by the source that lists them. */
  readonly #ends = new Map<AttentionSource<ListedItem>, readonly number[]>()
  #unsubscribes: (() => void)[] = []
  #updating: Promise<void> | undefined
  #due: Deadline | undefined

  constructor(
    private readonly context: CityContext,
    private readonly options: AttentionOptions,
  ) {
    for (const { id, source, item } of context.store.read((orm) => orm.select().from(attention).all()))
      this.#announced.set(id, { source, item })
  }

  /** Announces what came and went since the last stop, and from now on whatever does. */
  start(): void {
    const { sources, mutes } = this.options
    this.#unsubscribes = sources.map((source) => source.onChange(() => this.#update(source)))
    this.#unsubscribes.push(mutes.onChange(() => this.#update(...sources)))
    this.#update(...sources)
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribes) unsubscribe()
    this.#unsubscribes = []
    this.#due?.cancel()
    await this.whenIdle()
  }

  /** Resolves when all that changed so far is announced. */
  async whenIdle(): Promise<void> {
    while (this.#updating) await this.#updating
  }

  /** True if everything that came or went is announced. */
  get isIdle(): boolean {
    return !this.#updating && this.#changed.size === 0 && this.#unannounced.size === 0
  }

  /** All items of the kinds that are not muted, the longest waiting first. */
  list(): AttentionList {
    const items = this.options.sources.flatMap((source) => this.#itemsOf(source) ?? this.#announcedOf(source))
    items.sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0))
    const muted = this.options.mutes.list()
    return { items, total: items.length, ...(muted.length > 0 && { muted }) }
  }

  /** Announces what changed of these sources, once what is being announced is on disk. */
  #update(...sources: AttentionSource<ListedItem>[]): void {
    for (const source of sources) this.#changed.add(source)
    this.#updating ??= this.#announceAll().finally(() => {
      this.#updating = undefined
    })
  }

  async #announceAll(): Promise<void> {
    await Promise.resolve()
    while (this.#changed.size > 0) {
      const sources = [...this.#changed.union(this.#unannounced)]
      this.#changed.clear()
      this.#unannounced.clear()
      await this.#announce(sources).catch((error) => {
        this.#postpone(sources)
        this.context.report(`notifications of attention items failed: ${errorMessage(error)}`)
      })
    }
    if (this.#unsubscribes.length > 0) this.#scheduleDue()
  }

  /** Keeps what changed of these sources for the next announcement. */
  #postpone(sources: readonly AttentionSource<ListedItem>[]): void {
    for (const source of sources) this.#unannounced.add(source)
  }

  async #announce(sources: readonly AttentionSource<ListedItem>[]): Promise<void> {
    const { store } = this.context
    const differences = sources.flatMap((source) => this.#compare(source) ?? [])
    if (store.failure !== undefined || differences.length === 0) return
    if (store.problem !== undefined) return this.#postpone(sources)
    await store.write((tx) => {
      for (const difference of differences) this.#write(tx, difference)
    }, ATTENTION)
    for (const { source, raised, cleared } of differences) {
      for (const { id } of cleared) this.#announced.delete(id)
      for (const item of raised) this.#announced.set(item.id, { source: source.name, item })
    }
  }

  /** Undefined when nothing came or went. */
  #compare(source: AttentionSource<ListedItem>): Difference | undefined {
    const items = this.#itemsOf(source)
    if (!items) return undefined
    this.#ends.set(
      source,
      items.flatMap(({ until }) => (until === undefined ? [] : Date.parse(until))),
    )
    const ids = new Set(items.map(({ id }) => id))
    const raised = items.filter(({ id }) => !this.#announced.has(id))
    const cleared = this.#announcedOf(source).filter(({ id }) => !ids.has(id))
    return raised.length + cleared.length > 0 ? { source, raised, cleared } : undefined
  }

  #write(tx: Tx, { source, raised, cleared }: Difference): void {
    const { log } = this.context
    for (const item of cleared) {
      const resolution = this.#muteOf(item) ?? source.resolution?.(item.id)
      tx.orm.delete(attention).where(eq(attention.id, item.id)).run()
      const { text, by } = resolution ?? {}
      const outcome = { ...(text !== undefined && { resolution: cut(text) }), ...(by !== undefined && { by }) }
      log.append(tx, AttentionCleared, attributesOf(item, text), { ...payloadOf(item), ...outcome })
    }
    for (const item of raised) {
      tx.orm.insert(attention).values({ id: item.id, source: source.name, item }).run()
      log.append(tx, AttentionRaised, attributesOf(item, item.asks), { ...payloadOf(item), to_do: item.to_do })
    }
  }

  #itemsOf(source: AttentionSource<ListedItem>): AttentionItem[] | undefined {
    const shown = source.items()?.filter(({ kind }) => this.options.mutes.find(kind) === undefined)
    return shown?.map((entry) => this.#toItem(entry))
  }

  #announcedOf({ name }: AttentionSource): AttentionItem[] {
    return [...this.#announced.values()].flatMap(({ source, item }) => (source === name ? [item] : []))
  }

  /** The mute that hides an item, which may still wait. */
  #muteOf({ kind }: AttentionItem): AttentionResolution | undefined {
    const mute = this.options.mutes.find(kind)
    return mute && { text: `items of the kind ${kind} are muted`, by: mute.by }
  }

  #toItem(entry: ListedItem): AttentionItem {
    const since = entry.since ?? this.#announced.get(entry.id)?.item.since ?? toTimestamp(this.context.clock.now())
    return { agent: '', answers: [], ...entry, since }
  }

  /** Looks again when the first item may end automatically. */
  #scheduleDue(): void {
    const { deadlines, clock } = this.context
    const { sources } = this.options
    const now = clock.now()
    const next = Math.min(...[...this.#ends.values()].flat().filter((end) => end > now))
    this.#due?.cancel()
    this.#due = Number.isFinite(next) ? deadlines.at(next, () => this.#update(...sources)) : undefined
  }
}

const cut = (text: string): string => (text.length > MAX_EVENT_TEXT ? `${text.slice(0, MAX_EVENT_TEXT)}…` : text)

function attributesOf({ bead_id, session_id, agent }: AttentionItem, message: string | undefined): EventAttributes {
  const subject = bead_id ?? session_id ?? agent
  return {
    ...(subject && { subject }),
    ...(session_id !== undefined && { session_id }),
    ...(message !== undefined && { message: cut(message) }),
  }
}

const payloadOf = ({ id, kind, asks, since, agent, bead_id, session_id }: AttentionItem) => ({
  ...{ id, kind, asks: cut(asks), since },
  ...(agent && { agent }),
  ...(bead_id !== undefined && { bead_id }),
  ...(session_id !== undefined && { session_id }),
})
