import { randomBytes } from 'node:crypto'
import type { UsageTotals } from '../../agents/usage/index.ts'
import type { Worktrees } from '../../agents/worktrees/index.ts'
import type { LandConfig } from '../../config/land/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import type { Tx } from '../../core/store/index.ts'
import { LandUndelivered } from '../events.ts'
import { type Turn, type TurnContents, TurnDelivery, type TurnOptions, type TurnSource } from '../turns/index.ts'
import type { Yard } from '../yard/index.ts'
import { BASE_REF, CANDIDATE_REF, renderLetter, renderLetterNotes } from './letter.ts'
import { countResolution } from './metrics.ts'
import type { LandingRows } from './rows.ts'
import type { LandingRow, LetterDetails, LetterRow } from './table.ts'

export interface LettersOptions extends TurnOptions {
  readonly rows: LandingRows
  readonly worktrees: Pick<Worktrees, 'rowOf' | 'bring'>
  readonly claims: { onClaim(listener: (tx: Tx, bead: string, session: string) => void): () => void }
  readonly usage: SessionUsage
  yardOf(rig: string): Yard
  landOf(rig: string): LandConfig | undefined
}

/** The usage of sessions. */
interface SessionUsage {
  ofSession(session: string, from: number, to: number): UsageTotals
}

/** A branch that goes back to its owner, and why. */
export interface GivenBack {
  readonly kind: 'conflict' | 'red'
  readonly base: string
  readonly candidate: string | null
  readonly details: LetterDetails
}

const DEFAULT_TRIES = 3

/**
 * Writes to the owners of branches that do not land, once for each try, in their own conversations. The commits that a letter
 * names are in the owner's repository before it arrives, so that its commands work without a network.
 */
export class Letters implements TurnSource {
  readonly kind = 'landing'
  readonly words = { purpose: 'sent the letter about its branch', content: 'the letter' }
  readonly #delivery: TurnDelivery

  constructor(
    private readonly context: CityContext,
    private readonly options: LettersOptions,
  ) {
    this.#delivery = new TurnDelivery(context, options, this)
    options.claims.onClaim((tx, bead, session) => this.#onClaim(tx, bead, session))
  }

  start(): void {
    this.#delivery.start()
  }

  stop(): Promise<void> {
    return this.#delivery.stop()
  }

  whenIdle(): Promise<void> {
    return this.#delivery.whenIdle()
  }

  /** Keeps the commits of a letter that is about to be written. */
  pin(rig: string, landing: string, { base, candidate }: Pick<GivenBack, 'base' | 'candidate'>): Promise<void> {
    const refs = {
      [pinOf(landing, 'base')]: base,
      ...(candidate !== null && { [pinOf(landing, 'candidate')]: candidate }),
    }
    return this.options.yardOf(rig).pin(refs)
  }

  /** Writes to the owner of a landing that was just given back. */
  write(tx: Tx, row: LandingRow, { kind, base, candidate, details }: GivenBack): void {
    const { clock } = this.context
    const { rows } = this.options
    const now = clock.now()
    const fresh = { tries: 0, reason: null, createdAt: now, endedAt: null, mark: randomBytes(8).toString('hex') }
    const content = { landing: row.id, try: row.try, kind, base, candidate, details }
    const unresolved = { resolvedAt: null, tokens: null, cost: null, unpriced: null }
    const letter: LetterRow = { ...content, ...fresh, ...unresolved, state: 'waiting', session: row.session ?? '' }
    this.settle(tx, row)
    rows.addLetter(tx, letter)
    if (row.session === null) this.#undeliverable(tx, row, letter, 'it was submitted without a session')
    else tx.after(() => this.#delivery.wake())
  }

  /** A landing that was given back went on: takes back what has not arrived, and records when its owner was done. */
  end(tx: Tx, landing: string): void {
    const { clock } = this.context
    const { rows } = this.options
    const letters = rows.lettersOf(landing)
    for (const letter of letters) {
      const isArrived = letter.state === 'delivered' || letter.state === 'reopened'
      if (isArrived && letter.resolvedAt === null) rows.updateLetter(tx, letter, { resolvedAt: clock.now() })
    }
    this.#delivery.withdraw(tx, letters.map(toTurn), 'the landing went on without it')
  }

  /** Records what owners used to resolve what a landing was given back for, once their programs had time to log it. */
  settle(tx: Tx, { id, session }: LandingRow): void {
    const { rows, usage } = this.options
    for (const letter of rows.lettersOf(id)) {
      if (session === null || letter.resolvedAt === null || letter.tokens !== null) continue
      const from = letter.endedAt ?? letter.createdAt
      const used = usage.ofSession(session, from, letter.resolvedAt)
      const { cost_usd_estimate: cost, unpriced } = used
      const tokens = used.input_tokens + used.output_tokens + used.cache_read_tokens + used.cache_creation_tokens
      rows.updateLetter(tx, letter, { tokens, cost, unpriced })
      const seconds = Math.max(0, letter.resolvedAt - from) / 1000
      countResolution(rows, tx, letter.kind, { seconds, tokens, cost, unpriced, responses: used.invocations })
    }
  }

  open(): Turn[] {
    return this.options.rows.openLetters().map(toTurn)
  }

  find(key: string): Turn | undefined {
    const letter = this.#letter(key)
    return letter && toTurn(letter)
  }

  update(tx: Tx, key: string, { state, session, tries, reason, endedAt }: Partial<Omit<Turn, 'key' | 'mark'>>): void {
    const letter = this.#letter(key)
    const change = {
      ...(state !== undefined && { state }),
      ...(session !== undefined && { session }),
      ...(tries !== undefined && { tries }),
      ...(reason !== undefined && { reason }),
      ...(endedAt !== undefined && { endedAt }),
    }
    if (letter) this.options.rows.updateLetter(tx, letter, change)
  }

  contents({ key }: Turn): TurnContents | undefined {
    const found = this.#found(key)
    if (!found) return undefined
    const { row, letter } = found
    const land = this.options.landOf(row.rig)
    const rules = { check: land?.check, tries: land?.tries ?? DEFAULT_TRIES }
    const session = row.session ?? ''
    const problem = this.options.worktrees.rowOf(session) ? undefined : 'its worktree is gone'
    const notes = renderLetterNotes(row, letter, rules)
    return { session, text: renderLetter(row, letter, rules), bead: row.bead, notes, problem }
  }

  /** Brings the commits of a letter into the repository of its owner. */
  async prepare({ key }: Turn): Promise<void> {
    const found = this.#found(key)
    if (found) await this.#bring(found.row, found.letter)
  }

  onFailed(tx: Tx, { key }: Turn): void {
    const found = this.#found(key)
    if (found) this.#undeliverable(tx, found.row, found.letter, found.letter.reason ?? 'no one could be reached')
  }

  #undeliverable(tx: Tx, row: LandingRow, letter: LetterRow, reason: string): void {
    const { log, clock } = this.context
    const { rows } = this.options
    rows.updateLetter(tx, letter, { state: 'failed', reason, endedAt: clock.now() })
    const { id, rig, target, branch, head, bead, session } = row
    log.append(
      tx,
      LandUndelivered,
      { subject: bead ?? id, ...(session !== null && { session_id: session }) },
      { landing: id, rig, target, branch, head, try: row.try, ...(bead !== null && { bead_id: bead }), reason },
    )
  }

  async #bring({ id, rig, session }: LandingRow, { base, candidate }: LetterRow): Promise<void> {
    const { worktrees, yardOf } = this.options
    if (session === null) return
    const yard = yardOf(rig)
    const wanted = [
      { ref: BASE_REF, commit: base, source: pinOf(id, 'base') },
      ...(candidate === null ? [] : [{ ref: CANDIDATE_REF, commit: candidate, source: pinOf(id, 'candidate') }]),
    ]
    await this.pin(rig, id, { base, candidate })
    await worktrees.bring(session, wanted, (sources, file, known) => yard.bundle(sources, file, known))
  }

  /** A session that claims the bead of a returned branch owns the branch if the former owner is gone. */
  #onClaim(tx: Tx, bead: string, session: string): void {
    const { report } = this.context
    const { rows, worktrees, sessions } = this.options
    const worktree = worktrees.rowOf(session)
    if (!worktree) return
    for (const row of rows.ofBead(bead)) {
      const letter = rows.lettersOf(row.id).find((each) => each.try === row.try && each.kind === row.state)
      if (letter?.state !== 'reopened' || row.rig !== worktree.rig || rows.openOf(row.rig, worktree.branch)) continue
      const agent = sessions.find(session)?.template ?? row.agent
      const owned = rows.update(tx, row.id, { session, agent, branch: worktree.branch })
      tx.after(() => void this.#bring(owned, letter).catch((error) => report(`landing ${row.id}: ${String(error)}`)))
      return
    }
  }

  #letter(key: string): LetterRow | undefined {
    const [landing = '', number, kind] = key.split(':')
    return this.options.rows.lettersOf(landing).find((each) => each.try === Number(number) && each.kind === kind)
  }

  /** A letter whose landing still waits for its owner. */
  #found(key: string): { row: LandingRow; letter: LetterRow } | undefined {
    const letter = this.#letter(key)
    const row = letter && this.options.rows.find(letter.landing)
    return letter && row?.state === letter.kind && row.try === letter.try ? { row, letter } : undefined
  }
}

const toTurn = (letter: LetterRow): Turn => ({
  ...letter,
  key: `${letter.landing}:${letter.try}:${letter.kind}`,
})

/** The name of a commit of a letter in the yard. */
const pinOf = (landing: string, what: 'base' | 'candidate'): string => `refs/gc/letters/${landing}/${what}`
