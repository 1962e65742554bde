import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type CommandConfinement, type ConfinementRules, privateFolder } from '../../agents/confinement/index.ts'
import type { CommandExit, HostedCommand, HostedCommands } from '../../agents/launch/index.ts'
import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { sha256 } from '../../core/digest.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import { realPath } from '../../core/folders.ts'
import type { ProcessTokens } from '../../http/process-tokens.ts'
import type { Scratch } from '../yard/index.ts'
import type { Verdict } from './decide.ts'
import type { LandingRows } from './rows.ts'
import type { CheckRow } from './table.ts'

/** The command of a rig's checks, and where they run. */
export interface CheckPlace {
  readonly argv: readonly string[]
  readonly timeout: number
  readonly scratch: Scratch
  /** The folder of the objects that the checked repository borrows. */
  readonly objects: string
}

const RETRY_MS = 5_000
const CHECKS = gcPart('landing')
/** Statuses by which shells report that a program could not be run. */
const NOT_RUN = [126, 127]
/** A shell adds the number of the signal that ended a program to this. */
const SIGNALLED = 128
const MAX_SIGNAL = 64

/**
 * Runs the checks of candidates in the session host: each has a row before it is started, and its key is started once. After a crash of the supervisor a check that runs is adopted; one whose host was lost is run again.
 */
export class LandingChecks {
  readonly #underWay = new Map<string, Promise<void>>()
  readonly #timeouts = new Map<string, Deadline>()
  #unsubscribe = () => {}
  #isRunning = false

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      /** The city's folder. */
      readonly path: string
      readonly commands: HostedCommands
      readonly tokens: ProcessTokens
      readonly rows: LandingRows
      readonly confinement: Pick<CommandConfinement, 'ofWork'>
      /** The variables of every command of the city. Nothing else is inherited, so that no key of a person is. */
      environment(): Record<string, string>
      /** Place of a rig with checks. */
      place(rig: string, slot?: number): CheckPlace | undefined
      /** Called when a check has ended. */
      onVerdict(rig: string): void
    },
  ) {}

  async start(): Promise<void> {
    const { rows, commands, tokens } = this.options
    this.#isRunning = true
    for (const row of rows.openChecks()) {
      if (row.state !== 'running' || row.startedAt === null) continue
      if (row.tokenHash !== null) tokens.adopt(row.tokenHash, nameOf(row))
      this.#armTimeout(row, row.startedAt)
    }
    this.#unsubscribe = commands.onExit((exit) => this.#receive(exit))
    await this.#match()
    this.wake()
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    this.#unsubscribe()
    for (const timeout of this.#timeouts.values()) timeout.cancel()
    await this.whenIdle()
  }

  get isIdle(): boolean {
    return this.#underWay.size === 0
  }

  /** Resolves when nothing is being started or recorded. */
  async whenIdle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay.values())
  }

  /** Stands for a tree, the command of a rig and its environment: the same key is the same check. */
  keyOf(tree: string, { argv }: Pick<CheckPlace, 'argv'>): string {
    const env = Object.entries(this.options.environment()).filter(([name]) => !/^(?:GC|GT)_/.test(name))
    return sha256(JSON.stringify([tree, argv, env.sort()]))
  }

  /** Starts the queued checks. */
  wake(): void {
    if (!this.#isRunning) return
    for (const row of this.options.rows.openChecks()) {
      if (row.state === 'starting' && !this.#underWay.has(row.id)) this.#track(row.id, this.#launch(row))
    }
  }

  /** Ends a check whose row is gone. */
  abandon(row: CheckRow): void {
    if (row.state !== 'done') this.#end(row)
  }

  /** Begins again what no host knows, and ends what no row knows. */
  async #match(): Promise<void> {
    const { store, deadlines, report } = this.context
    const { commands, rows } = this.options
    try {
      const hosted = await commands.names()
      const open = rows.openChecks()
      const lost = open.filter((row) => row.state === 'running' && !hosted.has(nameOf(row)))
      if (lost.length > 0)
        await store.write((tx) => lost.forEach((row) => void rows.updateCheck(tx, row.id, again(row))), CHECKS)
      const known = new Set(open.map(nameOf))
      await Promise.all([...hosted].filter((name) => !known.has(name)).map((name) => commands.end(name)))
    } catch (error) {
      report(`the checks of landings could not be matched with what runs: ${errorMessage(error)}`)
      deadlines.after(RETRY_MS, () => (this.#isRunning ? this.#match() : undefined))
    }
  }

  #track(id: string, work: Promise<unknown>): void {
    const tracked = work
      .then(() => {})
      .catch((error) => this.context.report(`check ${id}: ${errorMessage(error)}`))
      .finally(() => {
        if (this.#underWay.get(id) === tracked) this.#underWay.delete(id)
      })
    this.#underWay.set(id, tracked)
  }

  async #launch(row: CheckRow): Promise<void> {
    const { store, clock, deadlines, report } = this.context
    const { tokens, commands, rows } = this.options
    const place = this.options.place(row.rig, slotOf(row))
    if (!place) return this.#finish(row, { verdict: 'none', reason: 'the rig no longer has a check', output: '' })
    const token = tokens.issue(nameOf(row))
    try {
      await place.scratch.checkOut(row.commitId)
      await commands.start(nameOf(row), this.commandOf(row, place, token.env))
      const startedAt = clock.now()
      await store.write((tx) => {
        const state = rows.findCheck(row.id)?.state
        if (state === 'starting') rows.updateCheck(tx, row.id, { state: 'running', tokenHash: token.hash, startedAt })
      }, CHECKS)
      if (rows.findCheck(row.id)) this.#armTimeout(row, startedAt)
      else this.#end(row)
    } catch (error) {
      tokens.end(token.hash)
      const isOurs = error instanceof AppError && error.code !== 'validation-failed'
      if (!isOurs) return this.#finish(row, { verdict: 'none', reason: errorMessage(error), output: '' })
      report(`check ${row.id} could not be started; gc retries: ${errorMessage(error)}`)
      deadlines.after(RETRY_MS, () => this.wake())
    }
  }

  /** A command in a scratch folder, which has as little of the machine as possible. */
  commandOf(row: Pick<CheckRow, 'rig' | 'commitId'>, place: CheckPlace, identity: object): HostedCommand {
    const { path, environment } = this.options
    const { folder, home } = place.scratch
    const env = { ...environment(), ...identity, CI: 'true', GC_RIG: row.rig, GC_LANDING_COMMIT: row.commitId }
    const command = { argv: [...place.argv], cwd: folder, env: { ...env, HOME: home } }
    const rules = this.#rulesOf(row, folder)
    if (!rules) return command
    const kept = privateFolder(path, `landing-${row.rig}`)
    const confine = { ...rules, private: kept, read: [...rules.read, place.objects], write: [realPath(folder)] }
    return { ...command, env: { ...command.env, HOME: join(kept, 'state') }, confine }
  }

  #rulesOf({ rig }: Pick<CheckRow, 'rig'>, folder: string): ConfinementRules | undefined {
    try {
      return this.options.confinement.ofWork({ rig, folder, session: '' })
    } catch (error) {
      throw new Error(`the check was not started: ${errorMessage(error)}`)
    }
  }

  #armTimeout(row: CheckRow, startedAt: number): void {
    const timeout = this.options.place(row.rig)?.timeout
    if (timeout === undefined) return
    this.#timeouts.get(row.id)?.cancel()
    this.#timeouts.set(
      row.id,
      this.context.deadlines.at(startedAt + timeout, () => this.#end(row)),
    )
  }

  #end(row: CheckRow): void {
    const { report, deadlines } = this.context
    const { commands } = this.options
    commands.end(nameOf(row)).catch((error) => {
      report(`check ${row.id} could not be stopped: ${errorMessage(error)}`)
      deadlines.after(RETRY_MS, () => (this.#isRunning ? this.#end(row) : undefined))
    })
  }

  async #receive(exit: CommandExit): Promise<void> {
    const [id = ''] = exit.name.split('/')
    await this.#underWay.get(id)
    const row = this.options.rows.findCheck(id)
    if (!row || row.state === 'done' || nameOf(row) !== exit.name) return
    const recorded = this.#record(row, exit)
    this.#track(id, recorded)
    await recorded
  }

  async #record(row: CheckRow, exit: CommandExit): Promise<void> {
    const { store } = this.context
    const { rows, tokens } = this.options
    this.#timeouts.get(row.id)?.cancel()
    this.#timeouts.delete(row.id)
    if (row.tokenHash !== null) tokens.end(row.tokenHash)
    const timeout = this.options.place(row.rig)?.timeout ?? 0
    const ended = verdictOf(exit, row.startedAt, timeout)
    if (ended) return this.#finish(row, { ...ended, output: exit.output })
    await store.write((tx) => rows.updateCheck(tx, row.id, again(row)), CHECKS)
    this.#underWay.delete(row.id)
    this.wake()
  }

  async #finish(row: CheckRow, end: { verdict: Verdict; reason: string; output: string }): Promise<void> {
    const { store, clock } = this.context
    const { rows, onVerdict } = this.options
    await store.write((tx) => {
      rows.updateCheck(tx, row.id, { ...end, state: 'done', endedAt: clock.now() })
      rows.count(tx, `verdict:${end.verdict}`)
    }, CHECKS)
    onVerdict(row.rig)
  }
}

/** A new name for a check in one of the scratch folders of its rig. */
export const checkId = (slot: number): string => `lc-${randomBytes(8).toString('hex')}${slot === 0 ? '' : `-${slot}`}`

const slotOf = ({ id }: CheckRow): number => Number(id.split('-')[2] ?? 0)

/** A check has a name of its own each time it is begun. */
const nameOf = ({ id, runs }: CheckRow): string => `${id}/${runs + 1}`

const again = ({ runs }: CheckRow): Partial<CheckRow> => ({
  ...{ state: 'starting', runs: runs + 1, tokenHash: null, startedAt: null },
})

/** The verdict of a check; undefined where it must be run again, since its host was lost. */
export function verdictOf(
  {
    how,
    exitCode,
    signal,
    startedAt,
    endedAt,
  }: Pick<CommandExit, 'how' | 'exitCode' | 'signal' | 'startedAt' | 'endedAt'>,
  begun: number | null,
  timeout: number,
): { verdict: Verdict; reason: string } | undefined {
  if (how === 'lost') return undefined
  if (how === 'ended') {
    const isLate = endedAt >= (begun ?? startedAt) + timeout
    return isLate ? { verdict: 'none', reason: `it took longer than ${Math.round(timeout / 1000)} s` } : undefined
  }
  if (signal !== undefined || exitCode === undefined) return { verdict: 'none', reason: `it was ended by ${signal}` }
  if (exitCode === 0) return { verdict: 'green', reason: '' }
  if (NOT_RUN.includes(exitCode))
    return { verdict: 'none', reason: `a program could not be run (exit status ${exitCode})` }
  if (exitCode > SIGNALLED && exitCode <= SIGNALLED + MAX_SIGNAL) {
    return { verdict: 'none', reason: `a program was ended by signal ${exitCode - SIGNALLED}` }
  }
  return { verdict: 'red', reason: `exit status ${exitCode}` }
}
