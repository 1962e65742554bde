import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store.ts'
import { SESSION_CONFLICT } from '../../host/protocol/errors.ts'
import { SessionCreateSucceeded } from './events.ts'
import { workNamesOf } from './metadata.ts'
import { type BuiltParts, buildParts, type SessionNeeds } from './parts.ts'
import type { SessionRow } from './table.ts'
import { isRunning } from './view.ts'

/** States in which a session waits for someone to wake it. */
export const HELD: ReadonlySet<string> = new Set(['asleep', 'suspended', 'quarantined', 'archived'])

/** What keeps a session from being started: its program, or others that have all the places. */
function whyWaiting({ book, launcher }: BuiltParts, session: string): string | undefined {
  const row = book.find(session)
  const agent = row?.kind === 'agent' ? launcher.agent(row.template) : undefined
  if (!agent || row?.state !== 'start-pending') return undefined
  const up = book.liveByTemplate(agent.qualified).filter(isRunning).length
  if (agent.maxActive === undefined || up < agent.maxActive) return launcher.problem(agent)
  return `${agent.qualified} may have ${agent.maxActive} at once and has ${up}; close one, or raise max_active_sessions`
}

/** What happens to sessions whoever asks for it: what follows from a start, an end, a wake-up or a close. */
export class Affairs {
  readonly parts: BuiltParts
  readonly #wakes: ((tx: Tx, id: string) => void)[] = []
  readonly #resets: ((tx: Tx, id: string) => void)[] = []
  #unheard: (() => void) | undefined

  constructor(protected readonly needs: SessionNeeds) {
    this.parts = buildParts(needs, {
      started: (tx, row, typed) => this.#started(tx, row, typed),
      settled: (tx, row, why) => this.#settled(tx, row, why),
      created: (tx, id, failure) => this.#created(tx, id, failure),
    })
    needs.reactions.on('sessions.beads', ['bead.closed'], (tx, { subject }) => this.#beadClosed(tx, subject ?? ''))
    this.parts.outcomes.explain = (session) => whyWaiting(this.parts, session)
    this.parts.outcomes.onTimeout = (tx, accepted) => this.parts.messages.withdraw(tx, accepted.id)
  }

  /** Closes a session in the books: what waits for it is told, its names are free, its work is offered again. */
  finish(tx: Tx, id: string, why: string): void {
    const { book, tokens, messages, outcomes } = this.parts
    const row = book.get(id)
    if (row.state === 'closed') return
    tokens.revoke(tx, id)
    this.needs.claims.loseAll(tx, id, workNamesOf(row))
    messages.abandon(tx, id, why)
    const closed = book.transition(tx, id, 'close', { closedAt: this.needs.clock.now() })
    const create = outcomes.find('session.create', id)
    if (create) outcomes.fail(tx, create, 'create_failed', `session ${closed.id} was closed: ${why}`)
    this.parts.live.forget(id)
  }

  /** Forgets how often sessions of these agents failed, so that they are tried again at once. */
  async forgive(agents: readonly string[]): Promise<void> {
    await this.needs.store.write((tx) => {
      for (const agent of agents) this.#forgive(tx, agent)
      tx.after(() => this.parts.book.notifyChanged())
    })
  }

  /** Takes up what a stop or a crash left: open requests, messages that wait, output that is shown. */
  async start(): Promise<void> {
    const { outcomes, messages, book } = this.parts
    const open = outcomes.recover()
    await this.needs.store.write((tx) => {
      messages.recover(tx)
      for (const accepted of open) {
        if (accepted.operation !== 'session.create') continue
        const row = book.find(accepted.subject)
        if (!row || row.state === 'closed')
          outcomes.fail(tx, accepted, 'create_failed', 'the session was closed before it was up')
        else if (row.wokeAt !== null && !messages.pending(accepted.id)) this.#created(tx, row.id, undefined)
      }
    })
    this.#unheard = this.needs.host.onRecords((said) => this.parts.conversations.ingest(said))
    for (const { id } of book.live()) messages.pump(id)
    await this.parts.tidy.start()
    await this.parts.conversationTidy.start()
  }

  /** Hears of a session that somebody wakes. */
  onWake(hear: (tx: Tx, id: string) => void): void {
    this.#wakes.push(hear)
  }

  /** Hears of a session whose conversation somebody ends, to begin another. */
  onReset(hear: (tx: Tx, id: string) => void): void {
    this.#resets.push(hear)
  }

  protected hearReset(tx: Tx, id: string): void {
    for (const hear of this.#resets) hear(tx, id)
  }

  /** Has a sleeping session started, because something came about that it waited for; a person's hold stays. */
  rouse(tx: Tx, id: string): void {
    if (this.parts.book.get(id).state === 'asleep') this.wakeUp(tx, id)
  }

  stopServing(): void {
    this.#unheard?.()
    this.parts.tidy.stop()
    this.parts.conversationTidy.stop()
    this.parts.usageLimits.close()
    this.parts.messages.close()
    this.parts.outcomes.close()
  }

  /** The live session a token names; a configured identity without one gets it now, unless `allows` refuses it. */
  protected async materialise(token: string, allows: (made: SessionRow) => void = () => {}): Promise<SessionRow> {
    const { resolver, creation } = this.parts
    const row = resolver.find(token)
    if (row && row.state !== 'closed') return row
    const named = resolver.named(token)
    if (named) {
      return this.needs.store.write((tx) => {
        const made = resolver.find(token) ?? creation.createNamed(tx, named)
        allows(made)
        return made
      })
    }
    throw new AppError('session-not-found', `session "${token}" not found and not a configured named session`)
  }

  /** Wakes a session because somebody says so. */
  protected wakeFor(tx: Tx, id: string): void {
    this.wakeUp(tx, id)
    for (const hear of this.#wakes) hear(tx, id)
  }

  /** Lifts every hold on a session and asks for its start. */
  protected wakeUp(tx: Tx, id: string): void {
    const { book } = this.parts
    const row = book.get(id)
    if (row.state === 'closed') throw new AppError(SESSION_CONFLICT, `session ${id} is closed`)
    if (row.state === 'failed-create') throw new AppError(SESSION_CONFLICT, `session ${id} is failed-create`)
    const change = {
      wakeRequestedAt: this.needs.clock.now(),
      retryAt: null,
      failures: 0,
      churn: 0,
      quarantinedUntil: null,
    }
    this.#forgive(tx, row.template)
    if (HELD.has(row.state)) book.transition(tx, id, 'wake', change)
    else if (row.state === 'start-pending') book.update(tx, id, change)
  }

  #forgive(tx: Tx, agent: string): void {
    this.parts.troubles.clear(tx, 'agent', agent)
    tx.after(() => this.parts.crashes.forget(agent))
  }

  #started(tx: Tx, row: SessionRow, typed: string | undefined): void {
    if (typed !== undefined) this.parts.messages.queue(tx, row.id, typed, { intent: 'prompt' })
    const create = this.parts.outcomes.find('session.create', row.id)
    if (create && !this.parts.messages.pending(create.id)) this.#created(tx, row.id, undefined)
    tx.after(() => this.parts.messages.pump(row.id))
  }

  #settled(tx: Tx, row: SessionRow, why: string): void {
    if (row.state === 'closed') {
      this.parts.messages.abandon(tx, row.id, why)
      this.parts.live.forget(row.id)
    }
    if (row.state === 'closed' || row.state === 'failed-create') this.#created(tx, row.id, why)
    if (row.state === 'failed-create' && row.alias) {
      this.parts.book.update(tx, row.id, { alias: null, aliasHistory: [...row.aliasHistory, row.alias] })
    }
  }

  /** A bead that is done is no trouble any more; a session whose bead somebody closed is closed. */
  #beadClosed(tx: Tx, id: string): void {
    this.parts.troubles.clear(tx, 'bead', id)
    const row = this.parts.book.find(id)
    if (row && row.state !== 'closed') this.finish(tx, id, 'its bead was closed')
  }

  /** Gives a requested session its terminal event. */
  #created(tx: Tx, id: string, failure: string | undefined): void {
    const { outcomes, view, book } = this.parts
    const create = outcomes.find('session.create', id)
    if (!create) return
    if (failure !== undefined) {
      const undelivered = this.parts.messages.firstFailed(create.id)
      outcomes.fail(tx, create, undelivered ? 'message_delivery_failed' : 'create_failed', failure)
      return
    }
    const payload = { request_id: create.id, session: view.show(book.get(id)) }
    outcomes.succeed(tx, create.id, SessionCreateSucceeded, { actor: 'api', subject: id, session_id: id }, payload)
  }
}
