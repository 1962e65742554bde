import type { AgentConfig } from '../../config/city-config.ts'
import type { Config } from '../../config/config.ts'
import type { Suspensions } from '../../config/suspensions/suspensions.ts'
import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import type { RecordedEvent } from '../../core/events/event.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Store } from '../../core/store.ts'
import type { Exit as HostedExit, HostedSession } from '../../host/protocol/session.ts'
import type { Beads } from '../../work/beads/beads.ts'
import type { SessionHost } from '../sessions/host.ts'
import { ActionExecutor } from './action-executor.ts'
import { shiftDeadlines } from './clock-shift.ts'
import { affectsSessions } from './event-filter.ts'
import type { ProcessExit } from './exit-rules.ts'
import { IdleBackoff } from './idle-backoff.ts'
import { backoff } from './limits.ts'
import type { Parking } from './parking.ts'
import { plan } from './plan.ts'
import { ScaleChecks } from './scale-checks.ts'
import type { CitySnapshot, ReconcileAction } from './snapshot.ts'
import { type Ground, SnapshotReader } from './snapshot-reader.ts'

export interface ReconcilerNeeds extends Ground {
  city: string
  store: Store
  log: EventLog
  clock: Clock
  deadlines: Deadlines
  config: Pick<Config, 'current' | 'onChange'>
  suspensions: Pick<Suspensions, 'isSuspended' | 'isCitySuspended' | 'isAgentSuspended' | 'onChange'>
  beads: Beads
  parking: Parking
  host: SessionHost
  report(message: string): void
}

/** Between two looks, however much happens: at least this long, and longer when looking takes long. */
const MIN_INTERVAL = 50
const DURATION_FACTOR = 10
const MAX_INTERVAL = 500
const PATROL = 60_000
/** How soon to look again for a program that is not installed. */
const MISSING_PROGRAM_RETRY = 30_000

/**
 * Keeps what runs in step with what is asked for. It looks when something happened, when a moment it waits for has
 * come, and once a minute; what it does is decided by `plan` and known to have worked or failed.
 */
export class Reconciler {
  readonly #lulls: IdleBackoff
  readonly #survey: SnapshotReader
  readonly #deeds: ActionExecutor
  readonly #probes: ScaleChecks
  #stops: (() => void)[] = []
  #running: Promise<void> | undefined
  #again = false
  #closed = true
  #last = 0
  #apart = MIN_INTERVAL
  #soon: Deadline | undefined
  #due: Deadline | undefined
  #patrol: Deadline | undefined
  #blind = 0
  #stepping: Promise<void> = Promise.resolve()

  constructor(private readonly needs: ReconcilerNeeds) {
    const { config, deadlines, report, suspensions, sessions } = needs
    const { shell, setup } = sessions.parts
    this.#probes = new ScaleChecks({
      ...{ config, deadlines, report, path: setup.path, env: setup.env },
      run: (line, options) => shell.run(line, options),
      held: (agent) =>
        suspensions.isCitySuspended(config.current) || suspensions.isAgentSuspended(config.current, agent),
      changed: () => this.wake(),
    })
    this.#lulls = new IdleBackoff(() => needs.clock.now())
    this.#survey = new SnapshotReader(needs, this.#lulls, (agent) => this.#probes.desired(agent))
    this.#deeds = new ActionExecutor(needs, () => this.wake())
  }

  /** Adopts what runs, and from now on reacts to whatever happens. */
  async start(): Promise<void> {
    const { log, config, deadlines, suspensions, host, sessions } = this.needs
    this.#closed = false
    await sessions.start()
    this.#stops = [
      log.subscribe((recorded) => this.#recorded(recorded)),
      config.onChange(() => {
        this.#lulls.clear()
        this.#probes.start()
        this.wake()
      }),
      suspensions.onChange(() => this.wake()),
      this.needs.budgets?.onChange(() => this.wake()) ?? (() => {}),
      sessions.parts.book.onChange(() => this.wake()),
      host.onExit((exit) => this.#exited(exit)),
      host.onLost(() => this.wake()),
      deadlines.onStep((shift) => this.#stepped(shift)),
      host.onOutput(undefined, (key, { at }) => this.#showed(key, at)),
    ]
    this.#tick()
    await this.#settleFirst()
    for (const agent of config.current.agents) this.#boot(agent)
    this.#probes.start()
  }

  /** Brings rows and processes together before anything else is heard; starts go on meanwhile. */
  async #settleFirst(): Promise<void> {
    this.#look()
    await this.#running
    await this.#deeds.matched()
  }

  #boot(agent: AgentConfig): void {
    const { report, sessions } = this.needs
    void sessions.parts.setup
      .boot(agent)
      .then((failure) => failure && report(failure))
      .catch((error) => report(errorMessage(error)))
  }

  #recorded(recorded: RecordedEvent): void {
    const { type, session_id, payload } = recorded
    const row = type === 'session.stopped' && session_id ? this.needs.sessions.parts.book.find(session_id) : undefined
    if (row) this.#lulls.recordStop(row, String(Object(payload).reason))
    if (affectsSessions(recorded)) this.wake()
  }

  /** What was counted by the old clock is put right before anything more is decided. */
  async #stepped(shift: number): Promise<void> {
    const { store, sessions, report } = this.needs
    if (shift === 0) return
    this.#survey.resetQuietTimes()
    this.#lulls.clear()
    this.#stepping = store
      .write((tx) => shiftDeadlines(tx, sessions.parts, shift))
      .catch((error) => report(`what runs keeps the times of the old clock: ${errorMessage(error)}`))
    await this.#stepping
    this.wake()
  }

  /** Looks soon; several calls are one look. */
  wake(): void {
    if (this.#closed) return
    if (this.#running) {
      this.#again = true
      return
    }
    if (this.#soon) return
    const wait = this.#last + this.#apart - this.needs.clock.now()
    this.#soon = this.needs.deadlines.after(Math.max(0, Math.min(wait, this.#apart)), () => this.#look())
  }

  /** Looks now, and resolves when nothing that was found is left to do. */
  async settle(): Promise<void> {
    this.#look()
    while (this.#running) {
      await this.#running
      await this.#deeds.done()
      if (this.#again || this.#soon) this.#look()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const stop of this.#stops) stop()
    for (const deadline of [this.#soon, this.#due, this.#patrol]) deadline?.cancel()
    this.needs.sessions.parts.setup.close()
    await this.#probes.close()
    await this.#running
    await this.#deeds.done()
    this.needs.sessions.stopServing()
  }

  #look(): void {
    this.#soon?.cancel()
    this.#soon = undefined
    if (this.#closed || this.#running) return
    this.#again = false
    const began = this.needs.clock.monotonic()
    this.#running = this.#once()
      .catch((error) => this.needs.report(`sessions could not be looked after: ${errorMessage(error)}`))
      .then(() => {
        this.#last = this.needs.clock.now()
        this.#apart = Math.min(
          Math.max(MIN_INTERVAL, DURATION_FACTOR * (this.needs.clock.monotonic() - began)),
          MAX_INTERVAL,
        )
        this.#running = undefined
        if (this.#again) this.wake()
      })
  }

  /** Looks and acts; what was made is started in the same go. */
  async #once(): Promise<void> {
    for (let made = true; made && !this.#closed; ) {
      const hosted = await this.#list()
      const now = this.needs.deadlines.now()
      await this.#stepping
      if (this.#closed) return
      const wakes = this.needs.config.current.daemon.maxWakesPerTick - this.#deeds.starting
      this.needs.store.beginRead()
      const situation = this.#survey.read(now, hosted, wakes, (id) => this.#deeds.isBusy(id))
      const { actions, due } = plan(situation)
      const created = await this.#act(actions)
      this.#wait([due, missingProgramRetry(situation), this.needs.sessions.parts.workload.nextDeferred()])
      made = created
    }
  }

  /** Does what was decided; true when that made a session that is now to be started. */
  async #act(actions: readonly ReconcileAction[]): Promise<boolean> {
    let created = false
    for (const action of actions) {
      const worked = await this.#deeds.execute(action)
      if (action.do === 'create' && worked) created = true
    }
    return created
  }

  /** What the host runs of this city; undefined when it cannot be asked, and then it is asked again later. */
  async #list(): Promise<HostedSession[] | undefined> {
    try {
      const all = await this.needs.host.list()
      this.#blind = 0
      const own = all.filter(({ key }) => key.startsWith(`${this.needs.city}/`) && !this.#deeds.isEnding(key))
      this.#survey.recordOutput(own)
      return own
    } catch (error) {
      this.#blind++
      this.needs.report(`the session host cannot be asked what it runs: ${errorMessage(error)}`)
      this.needs.deadlines.after(backoff(this.#blind), () => this.wake())
      return undefined
    }
  }

  #wait(moments: readonly (number | undefined)[]): void {
    this.#due?.cancel()
    const due = Math.min(...moments.map((moment) => moment ?? Number.POSITIVE_INFINITY))
    if (due !== Number.POSITIVE_INFINITY) this.#due = this.needs.deadlines.at(due, () => this.wake())
  }

  #tick(): void {
    this.#patrol = this.needs.deadlines.after(PATROL, () => {
      this.wake()
      this.#tick()
    })
  }

  /** A session's program ended by itself; the host forgets it once that is on disk. False when it is another city's. */
  async #exited(exit: HostedExit): Promise<boolean> {
    if (!exit.key.startsWith(`${this.needs.city}/`)) return false
    const row = this.needs.sessions.parts.book.findByHostKey(exit.key)
    if (!row) return true
    const said = exit.lastOutput.slice(-20).join('\n').trim().slice(-2000)
    const { lifecycle, usageLimits } = this.needs.sessions.parts
    const limited = row.origin !== 'manual' && usageLimits.isReached(row, exit.lastOutput)
    await lifecycle.recordExit(row.id, exit.key, { ...toExit(exit), ...(limited && { limited }) }, said || undefined)
    return true
  }

  #showed(key: string, at: string): void {
    const id = key.startsWith(`${this.needs.city}/`) ? key.split('/')[1] : undefined
    if (id === undefined) return
    const { live, usageLimits } = this.needs.sessions.parts
    live.recordOutput(id, Date.parse(at))
    usageLimits.onOutput(id)
  }
}

/** When to look again for a program that is not installed and has work waiting. */
const missingProgramRetry = ({ agents, now }: CitySnapshot): number | undefined =>
  agents.some(({ problem, demand }) => problem !== undefined && demand.length > 0)
    ? now + MISSING_PROGRAM_RETRY
    : undefined

function toExit({ reason, exitCode, signal }: HostedExit): ProcessExit {
  if (reason === 'host-lost' || reason === 'unattended' || reason === 'shutdown') return { how: 'lost' }
  if (signal !== undefined) return { how: 'signalled', signal }
  return { how: 'exited', ...(exitCode !== undefined && { code: exitCode }) }
}
