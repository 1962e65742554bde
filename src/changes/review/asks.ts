import type { CityContext } from '../../core/city-context.ts'
import type { Tx } from '../../core/store/index.ts'
import { type Turn, type TurnContents, TurnDelivery, type TurnOptions, type TurnSource } from '../turns/index.ts'
import type { ChangeRows } from './rows.ts'
import type { AskRow, ChangeRow } from './table.ts'
import type { ChangeTracker } from './tracker.ts'
import { renderNotes, renderTurn } from './turn.ts'

export interface AskOptions extends TurnOptions {
  rows: ChangeRows
  tracker: ChangeTracker
}

/** Gives what people ask for to the conversation of a session, as one turn. */
export class AskDelivery implements TurnSource {
  readonly kind = 'review'
  readonly words = { purpose: 'asked for changes', content: 'the comments' }
  readonly #delivery: TurnDelivery

  constructor(
    context: CityContext,
    private readonly options: AskOptions,
  ) {
    this.#delivery = new TurnDelivery(context, options, this)
  }

  start(): void {
    this.#delivery.start()
  }

  stop(): Promise<void> {
    return this.#delivery.stop()
  }

  /** Resolves when nothing can be done just now for what did not arrive. */
  whenIdle(): Promise<void> {
    return this.#delivery.whenIdle()
  }

  /**
   * Gives the turn of a request to the session of its change: once it is on disk, it arrives once. Throws when no one
   * can take it.
   */
  send(tx: Tx, change: ChangeRow, ask: AskRow): void {
    this.#delivery.send(tx, toTurn(ask), this.#contentsOf(change, ask))
  }

  /** Takes back what has not arrived yet. */
  withdraw(tx: Tx, id: string, reason: string): void {
    this.#delivery.withdraw(tx, this.options.rows.asks(id).map(toTurn), reason)
  }

  open(): Turn[] {
    return this.options.rows.openAsks().map(toTurn)
  }

  find(key: string): Turn | undefined {
    const ask = this.#ask(key)
    return ask && toTurn(ask)
  }

  update(tx: Tx, key: string, change: Partial<Omit<Turn, 'key' | 'mark'>>): void {
    const [id, n] = partsOf(key)
    this.options.rows.updateAsk(tx, { change: id, n }, change)
  }

  contents({ key }: Turn): TurnContents | undefined {
    const ask = this.#ask(key)
    const change = ask && this.options.rows.find(ask.change)
    return ask && change && this.#contentsOf(change, ask)
  }

  /** The change waits for people again, who have their comments back as drafts. */
  onFailed(tx: Tx, { key }: Turn): void {
    const { rows, tracker } = this.options
    const [id, n] = partsOf(key)
    for (const comment of rows.comments(id)) {
      if (comment.ask === n && comment.state === 'open') rows.updateComment(tx, comment, { state: 'draft', ask: null })
    }
    const change = rows.find(id)
    if (change?.state === 'asked') tracker.takeBack(tx, change)
  }

  #ask(key: string): AskRow | undefined {
    return this.options.rows.ask(...partsOf(key))
  }

  #contentsOf(change: ChangeRow, ask: AskRow): TurnContents {
    const comments = this.options.rows.comments(change.id).filter((comment) => comment.ask === ask.n)
    const text = renderTurn(change, ask, comments)
    return { session: change.session, text, bead: change.bead, notes: renderNotes(change, ask, comments) }
  }
}

const toTurn = (ask: AskRow): Turn => ({ ...ask, key: `${ask.change}:${ask.n}` })

function partsOf(key: string): [change: string, n: number] {
  const [id = '', n = ''] = key.split(':')
  return [id, Number(n)]
}
