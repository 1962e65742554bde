import { eq } from 'drizzle-orm'
import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { ATTENTION_KINDS } from '../../core/error-catalogue.ts'
import { AppError, invalidField } from '../../core/errors.ts'
import { Signal } from '../../core/signal.ts'
import type { Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { AttentionMuted, AttentionUnmuted } from '../events.ts'
import type { AttentionKind, AttentionMute } from './schema.ts'
import { attentionMutes, type MuteRow } from './table.ts'

/** Kinds of items that a person does not want to be shown: until further notice, or until a time. */
export class AttentionMutes {
  readonly #muted = new Map<string, MuteRow>()
  readonly #changed = new Signal()
  #due: Deadline | undefined

  constructor(private readonly context: CityContext) {
    for (const row of context.store.read((orm) => orm.select().from(attentionMutes).all()))
      this.#muted.set(row.kind, row)
  }

  /** Ends what ended while the city was closed, and from now on whatever does. */
  async start(): Promise<void> {
    await this.#expire()
  }

  stop(): void {
    this.#due?.cancel()
  }

  /** The person's wish not to see a kind; undefined when it is shown. */
  find(kind: string): MuteRow | undefined {
    return this.#muted.get(kind)
  }

  /** The kinds that are not shown. */
  list(): AttentionMute[] {
    return [...this.#muted.values()].map(toMute)
  }

  /** All kinds, with their meaning and whether they are shown. */
  kinds(): { items: AttentionKind[]; total: number } {
    const items = Object.entries(ATTENTION_KINDS).map(([kind, { sentence: meaning, fix }]) => {
      const row = this.#muted.get(kind)
      return { kind, meaning, fix, ...(row && { muted: toMute(row) }) }
    })
    return { items, total: items.length }
  }

  /** Hides a kind, until a time when one is given; doing so again replaces that time. */
  async mute(caller: Caller, kind: string, until: string | undefined): Promise<AttentionMute> {
    requireKind(kind)
    const actor = actorOf(caller)
    return this.context.store.write((tx) => {
      const now = this.context.clock.now()
      const end = until === undefined ? null : Date.parse(until)
      if (end !== null && !(end > now)) throw invalidField('body.until', 'must be a time in the future')
      const row = { kind, until: end, by: actor.name, since: now }
      tx.orm.insert(attentionMutes).values(row).onConflictDoUpdate({ target: attentionMutes.kind, set: row }).run()
      this.context.log.append(tx, AttentionMuted, {}, { kind, ...(end !== null && { until: toTimestamp(end) }) })
      tx.after(() => this.#set(kind, row))
      return toMute(row)
    }, actor)
  }

  /** Shows a kind again; one that is shown stays so. */
  async unmute(caller: Caller, kind: string): Promise<{ status: string }> {
    requireKind(kind)
    return this.context.store.write((tx) => {
      if (this.#muted.has(kind)) this.#delete(tx, kind)
      return { status: 'shown' }
    }, actorOf(caller))
  }

  /** Calls the listener when a kind is hidden or shown, once that is on disk. */
  readonly onChange = this.#changed.listen

  #delete(tx: Tx, kind: string): void {
    tx.orm.delete(attentionMutes).where(eq(attentionMutes.kind, kind)).run()
    this.context.log.append(tx, AttentionUnmuted, {}, { kind })
    tx.after(() => this.#set(kind, undefined))
  }

  #set(kind: string, row: MuteRow | undefined): void {
    if (row) this.#muted.set(kind, row)
    else this.#muted.delete(kind)
    this.#schedule()
    this.#changed.emit()
  }

  #schedule(): void {
    this.#due?.cancel()
    const next = Math.min(...[...this.#muted.values()].flatMap(({ until }) => until ?? []))
    this.#due = Number.isFinite(next) ? this.context.deadlines.at(next, () => this.#expire()) : undefined
  }

  async #expire(): Promise<void> {
    const now = this.context.clock.now()
    const over = [...this.#muted.values()].filter(({ until }) => until !== null && until <= now)
    if (over.length === 0) return this.#schedule()
    await this.context.store.write((tx) => {
      for (const { kind } of over) this.#delete(tx, kind)
    }, gcPart('attention'))
  }
}

const toMute = ({ kind, until, by, since }: MuteRow): AttentionMute => ({
  ...{ kind, by, since: toTimestamp(since) },
  ...(until !== null && { until: toTimestamp(until) }),
})

function requireKind(kind: string): void {
  if (Object.hasOwn(ATTENTION_KINDS, kind)) return
  throw new AppError('attention-kind-not-found', `there is no kind of item called "${kind}"`)
}
