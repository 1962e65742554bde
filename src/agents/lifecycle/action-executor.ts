import { errorMessage } from '../../core/errors.ts'
import type { Tx } from '../../core/store.ts'
import { backoff } from './limits.ts'
import type { ReconcilerNeeds } from './reconciler.ts'
import type { ReconcileAction } from './snapshot.ts'

/** What only touches the books. */
type WriteAction = Extract<ReconcileAction, { do: 'create' | 'drain' | 'release' | 'close' | 'park' }>

/** Does what was planned. A session is busy until its deed is done; one whose deed failed rests before the next try. */
export class ActionExecutor {
  readonly #running = new Map<string, Promise<void>>()
  readonly #matching = new Set<Promise<void>>()
  /** Until when each rests, by the monotonic clock. */
  readonly #failures = new Map<string, { count: number; until: number }>()
  #starting = 0

  constructor(
    private readonly needs: ReconcilerNeeds,
    private readonly wake: () => void,
  ) {}

  /** How many starts are under way. */
  get starting(): number {
    return this.#starting
  }

  isBusy(id: string): boolean {
    return this.needs.sessions.parts.lifecycle.isBusy(id) || this.#running.has(id) || this.#rests(id)
  }

  /** Whether a process nobody knows is being ended, or could not be ended just now. */
  isEnding(key: string): boolean {
    return this.#running.has(key) || this.#rests(key)
  }

  /** Resolves when nothing is under way. */
  async done(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  /** Resolves when rows and processes that were found apart are together. */
  async matched(): Promise<void> {
    await Promise.all(this.#matching)
  }

  /** Begins a deed; what only touches the books is done when this resolves. False when it did not work just now. */
  async execute(action: ReconcileAction): Promise<boolean> {
    const { lifecycle } = this.needs.sessions.parts
    switch (action.do) {
      case 'start':
        this.#starting++
        return this.#begin(action.session, () => lifecycle.start(action.session).finally(() => this.#starting--))
      case 'adopt':
        return this.#begin(action.session, () => lifecycle.adopt(action.session, action), true)
      case 'end':
        return this.#begin(action.session ?? action.key, () => lifecycle.end(action.key, action.session))
      case 'refresh':
        return this.#begin(action.session, () => lifecycle.refresh(action.session))
      case 'bury':
        return this.#begin(action.session, () => lifecycle.recordExit(action.session, action.key, action.exit), true)
      default:
        return this.#write(action)
    }
  }

  async #write(action: WriteAction): Promise<boolean> {
    const subject = subjectOf(action)
    if (this.#rests(subject)) return false
    return this.#tried(subject, () => this.needs.store.write((tx) => this.#record(tx, action)))
  }

  #record(tx: Tx, action: WriteAction): void {
    const { sessions } = this.needs
    if (action.do === 'create') this.#create(tx, action)
    if (action.do === 'drain') this.#drain(tx, action.session, action.reason)
    if (action.do === 'release')
      sessions.parts.book.transition(tx, action.session, 'release', { quarantinedUntil: null })
    if (action.do === 'close') sessions.finish(tx, action.session, action.reason)
    if (action.do === 'park') this.needs.parking.park(tx, action)
  }

  #drain(tx: Tx, id: string, reason: string): void {
    const { book, chronicle } = this.needs.sessions.parts
    chronicle.draining(tx, book.transition(tx, id, 'drain', { reason, drainAt: this.needs.clock.now() }))
  }

  #create(tx: Tx, { agent: name, slot, named, work }: Extract<ReconcileAction, { do: 'create' }>): void {
    const { config, sessions } = this.needs
    const { creation } = sessions.parts
    const identity = config.current.namedSessions.find(({ qualified }) => qualified === named)
    const agent = config.current.agents.find(({ qualified }) => qualified === name)
    if (identity) creation.createNamed(tx, identity)
    else if (agent && slot !== undefined) creation.createPooled(tx, agent, slot, work)
  }

  #begin(subject: string, deed: () => Promise<unknown>, matching = false): boolean {
    const running = this.#tried(subject, deed).then((worked) => {
      this.#running.delete(subject)
      this.#matching.delete(running)
      if (worked) this.wake()
    })
    this.#running.set(subject, running)
    if (matching) this.#matching.add(running)
    return true
  }

  async #tried(subject: string, deed: () => Promise<unknown>): Promise<boolean> {
    try {
      await deed()
      this.#failures.delete(subject)
      return true
    } catch (error) {
      const count = (this.#failures.get(subject)?.count ?? 0) + 1
      const rest = backoff(count)
      this.#failures.set(subject, { count, until: this.needs.clock.monotonic() + rest })
      this.needs.report(`${subject}: ${errorMessage(error)}`)
      this.needs.deadlines.after(rest, this.wake)
      return false
    }
  }

  #rests(subject: string): boolean {
    return (this.#failures.get(subject)?.until ?? 0) > this.needs.clock.monotonic()
  }
}

/** What a deed that failed is known by until it is tried again. */
function subjectOf(action: WriteAction): string {
  if (action.do === 'create') return `create ${action.named ?? action.agent}`
  return action.do === 'park' ? `park ${action.bead}` : action.session
}
