import type { Config } from '../../config/config.ts'
import { gcPart } from '../../core/actor.ts'
import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { SessionRepository } from '../sessions/repository.ts'
import type { SessionDrainer } from './drainer.ts'
import { backoff } from './limits.ts'
import type { Parking } from './parking.ts'
import type { SessionProcesses } from './processes.ts'
import type { SessionCloser } from './session-closer.ts'
import type { SessionCreator } from './session-creator.ts'
import type { ReconcileAction } from './snapshot.ts'

export interface ActionExecutorOptions {
  store: Store
  clock: Clock
  deadlines: Deadlines
  config: Pick<Config, 'current'>
  repository: SessionRepository
  drainer: Pick<SessionDrainer, 'drain'>
  creator: SessionCreator
  closer: SessionCloser
  processes: SessionProcesses
  parking: Pick<Parking, 'park'>
  report(message: string): void
}

/** Actions that only write rows. */
type WriteAction = Extract<ReconcileAction, { do: 'create' | 'release' | 'close' | 'park' }>

/** Executes planned actions. A session is busy until its action is done, and for a while after one that failed. */
export class ActionExecutor {
  readonly #running = new Map<string, Promise<void>>()
  readonly #matching = new Set<Promise<void>>()
  /** Failed actions by subject, with the end of their backoff by the monotonic clock. */
  readonly #failures = new Map<string, { count: number; until: number }>()
  #starting = 0

  constructor(
    private readonly options: ActionExecutorOptions,
    private readonly onDone: () => void,
  ) {}

  /** How many starts are under way. */
  get starting(): number {
    return this.#starting
  }

  isBusy(id: string): boolean {
    return this.options.processes.steps.isBusy(id) || this.#running.has(id) || this.#isBackingOff(id)
  }

  /** Whether an unknown process is being ended, or could not be ended just now. */
  isEnding(key: string): boolean {
    return this.#running.has(key) || this.#isBackingOff(key)
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  /** Resolves when rows and processes that did not agree have been matched. */
  async matched(): Promise<void> {
    await Promise.all(this.#matching)
  }

  /** Begins an action; one that only writes rows is done when this resolves. False when it failed. */
  async execute(action: ReconcileAction): Promise<boolean> {
    const { processes, drainer } = this.options
    switch (action.do) {
      case 'start':
        this.#starting++
        return this.#begin(action.session, () => processes.start(action.session).finally(() => this.#starting--))
      case 'adopt':
        return this.#begin(action.session, () => processes.adopt(action.session, action), true)
      case 'end':
        return this.#begin(action.session ?? action.key, () => processes.end(action.key, action.session))
      case 'drain':
        return this.#begin(action.session, () => drainer.drain(action.session, action.reason))
      case 'refresh':
        return this.#begin(action.session, () => processes.refresh(action.session))
      case 'record-exit':
        return this.#begin(action.session, () => processes.recordExit(action.session, action.key, action.exit), true)
      default:
        return this.#write(action)
    }
  }

  async #write(action: WriteAction): Promise<boolean> {
    const subject = subjectOf(action)
    if (this.#isBackingOff(subject)) return false
    return this.#attempt(subject, () =>
      this.options.store.write((tx) => this.#record(tx, action), gcPart('reconciler')),
    )
  }

  #record(tx: Tx, action: WriteAction): void {
    const { repository, closer, parking } = this.options
    if (action.do === 'create') this.#create(tx, action)
    if (action.do === 'release') repository.transition(tx, action.session, 'release', { quarantinedUntil: null })
    if (action.do === 'close') closer.close(tx, action.session, action.reason)
    if (action.do === 'park') parking.park(tx, action)
  }

  #create(tx: Tx, { agent: name, slot, named, work }: Extract<ReconcileAction, { do: 'create' }>): void {
    const { config, creator } = this.options
    const identity = config.current.namedSessions.find(({ qualified }) => qualified === named)
    const agent = config.current.agents.find(({ qualified }) => qualified === name)
    if (identity) creator.createNamed(tx, identity)
    else if (agent && slot !== undefined) creator.createPooled(tx, agent, slot, work)
  }

  #begin(subject: string, action: () => Promise<unknown>, isMatching = false): boolean {
    const running = this.#attempt(subject, action).then((succeeded) => {
      this.#running.delete(subject)
      this.#matching.delete(running)
      if (succeeded) this.onDone()
    })
    this.#running.set(subject, running)
    if (isMatching) this.#matching.add(running)
    return true
  }

  async #attempt(subject: string, action: () => Promise<unknown>): Promise<boolean> {
    const { clock, deadlines, report } = this.options
    try {
      await action()
      this.#failures.delete(subject)
      return true
    } catch (error) {
      const count = (this.#failures.get(subject)?.count ?? 0) + 1
      const delay = backoff(count)
      this.#failures.set(subject, { count, until: clock.monotonic() + delay })
      report(`${subject}: ${errorMessage(error)}`)
      deadlines.after(delay, this.onDone)
      return false
    }
  }

  #isBackingOff(subject: string): boolean {
    return (this.#failures.get(subject)?.until ?? 0) > this.options.clock.monotonic()
  }
}

/** The key under which a failed action backs off. */
function subjectOf(action: WriteAction): string {
  if (action.do === 'create') return `create ${action.named ?? action.agent}`
  return action.do === 'park' ? `park ${action.bead}` : action.session
}
