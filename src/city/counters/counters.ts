import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import type { CityContext } from '../../core/city-context.ts'
import { Signal } from '../../core/signal.ts'
import { type Miscount, query, Recounts, type Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { BeadRepository } from '../../work/beads/index.ts'
import { cityCounterChecks, isAboutReadiness } from './counter-checks.ts'
import type { MiscountList } from './schema.ts'

/** Maximum number of blocked beads with an item of their own. */
const MAX_ITEMS = 20
const TO_DO = 'gc doctor --fix'

/** True if a bead counts as blocked while nothing open blocks it. */
const isStuck = ({ counter, counted }: Miscount): boolean => counter === 'beads.blockers' && counted === 0

const ANNOUNCED = query<{ id: string }, [string]>('SELECT id FROM attention WHERE source = ? LIMIT 1')

/** Checks and corrects the counters of a city. The wrong ones that were found last need attention. */
export class Counters implements AttentionSource {
  readonly name = 'counters'
  readonly #recounts: Recounts
  readonly #changed = new Signal()
  /** Undefined until the first check. */
  #wrong: readonly Miscount[] | undefined

  constructor(
    private readonly context: CityContext,
    private readonly beadRepository: Pick<BeadRepository, 'find' | 'change'>,
  ) {
    this.#recounts = new Recounts(context.store, cityCounterChecks, {
      apply: (tx, miscount, correct) => this.#apply(tx, miscount, correct),
      closing: 'the city is closing; check again once it is open',
    })
  }

  /** Checks only if wrong counters were announced: somebody may have corrected them while the city was closed. */
  start(): void {
    if (this.context.store.get(ANNOUNCED, this.name)) void this.check().catch(this.context.reportError)
  }

  stop(): Promise<void> {
    return this.#recounts.stop()
  }

  /** Wrong counters, up to a thousand; recounts everything, off the event loop. */
  async check(): Promise<MiscountList> {
    const wrong = await this.#recounts.run()
    this.#note(wrong)
    return toList(wrong)
  }

  /** Corrects what is wrong, at most a thousand values; returns it. */
  async repair(caller: Caller): Promise<MiscountList> {
    const repaired = await this.#recounts.repair(actorOf(caller))
    if (repaired.length > 0) await this.check()
    return toList(repaired)
  }

  items(): AttentionEntry[] | undefined {
    const wrong = this.#wrong
    if (!wrong) return undefined
    const stuck = wrong.filter(isStuck).slice(0, MAX_ITEMS)
    const others = wrong.filter((each) => !stuck.includes(each))
    return [...stuck.map(stuckItem), ...(others.length > 0 ? [othersItem(others)] : [])]
  }

  readonly onChange = this.#changed.listen

  #note(wrong: readonly Miscount[]): void {
    this.#wrong = wrong
    this.#changed.emit()
  }

  /** A bead that a repair releases is changed like any other: its event is recorded, and a paused run holds it. */
  #apply(tx: Tx, miscount: Miscount, correct: () => void): void {
    const { beadRepository: beads } = this
    if (isAboutReadiness(miscount) && beads.find(miscount.id))
      beads.change(tx, miscount.id, {}, { writeSideTable: correct })
    else correct()
  }
}

const toList = (wrong: readonly Miscount[]): MiscountList => ({
  items: wrong.map(({ counter, id, stored, counted }) => ({
    ...{ counter, id, stored: String(stored), counted: String(counted) },
  })),
  total: wrong.length,
})

const stuckItem = ({ id }: Miscount): AttentionEntry => ({
  id: `counter:${id}`,
  kind: 'counter',
  bead_id: id,
  asks: `Bead ${id} counts as blocked, but nothing blocks it: it never becomes ready.`,
  to_do: TO_DO,
})

function othersItem([first, ...rest]: readonly Miscount[]): AttentionEntry {
  const example = first ? `${first.counter} of ${first.id} is ${first.stored} instead of ${first.counted}` : ''
  const asks =
    rest.length === 0
      ? `A counter is wrong: ${example}.`
      : `${rest.length + 1} counters are wrong: ${example}, and others.`
  return { id: 'counters:city', kind: 'counter', asks, to_do: TO_DO }
}
