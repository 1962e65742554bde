import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { isAbsolute, join, resolve, sep } from 'node:path'
import { type CommandConfinement, type ConfinementRules, privateFolder } from '../../../agents/confinement/index.ts'
import type { CommandExit, HostedCommand, HostedCommands } from '../../../agents/launch/index.ts'
import type { CityConfig } from '../../../config/city/index.ts'
import type { Config } from '../../../config/compose/index.ts'
import { readableEntries } from '../../../config/confinement/index.ts'
import type { Suspensions } from '../../../config/suspensions/index.ts'
import { gcPart } from '../../../core/actor.ts'
import type { CityContext } from '../../../core/city-context.ts'
import type { Deadline } from '../../../core/deadlines.ts'
import { AppError, errorMessage } from '../../../core/errors.ts'
import { contains, realPath } from '../../../core/folders.ts'
import { unsubscriber } from '../../../core/signal.ts'
import type { Tx } from '../../../core/store/index.ts'
import type { ProcessTokens } from '../../../http/process-tokens.ts'
import type { Bead, BeadRepository } from '../../../work/beads/index.ts'
import { EngineKey, WorkflowKey, WorkKey } from '../../../work/metadata.ts'
import type { SessionRepository } from '../../../work/sessions/index.ts'
import { metadataValue } from '../node.ts'
import type { CheckRepository } from './repository.ts'
import { type CheckResult, resultOf, timeoutOf } from './result.ts'
import type { CheckRow } from './table.ts'

/** Effects of the end of a check, in the write that records it. */
export interface CheckListener {
  onResult(tx: Tx, control: Bead, attempt: Bead, result: CheckResult): void
  /** It could not be started. */
  onError(tx: Tx, control: Bead, message: string): void
}

const RETRY_MS = 5_000
/** Number of checks that run at a time. */
const MAX_RUNNING = 16
const CHECKS = gcPart('checks')

/**
 * Runs the scripts of checks in the session host. Each has a row before it is started, and its key is started
 * once: after a crash of the supervisor a check that runs is adopted, and its exit is reported until it is on disk. Only
 * when its host was lost a script is run again. While a city or rig is suspended, none of it is started.
 */
export class CheckRunner {
  readonly #underWay = new Map<string, Promise<void>>()
  readonly #timeouts = new Map<string, Deadline>()
  #listener: CheckListener | undefined
  #unsubscribe = () => {}
  #isRunning = false

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      /** The city's folder. */
      path: string
      commands: HostedCommands
      beads: BeadRepository
      checks: CheckRepository
      tokens: ProcessTokens
      config: Pick<Config, 'current'>
      suspensions: Pick<Suspensions, 'holdOf' | 'onChange'>
      /** Variables of every command of the city. */
      environment(): Record<string, string>
      sessions: SessionRepository
      /** Sandbox of commands that run where sessions worked. */
      confinement: Pick<CommandConfinement, 'ofWork'>
    },
  ) {}

  use(listener: CheckListener): void {
    this.#listener = listener
  }

  /** Adopts running scripts, and starts queued ones. */
  async start(): Promise<void> {
    const { checks, commands, suspensions } = this.options
    this.#isRunning = true
    for (const row of checks.list()) this.#adopt(row)
    this.#unsubscribe = unsubscriber(
      commands.onExit((exit) => this.#receive(exit)),
      suspensions.onChange(() => this.#wake()),
    )
    await this.#match()
    this.#wake()
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    this.#unsubscribe()
    for (const timeout of this.#timeouts.values()) timeout.cancel()
    await this.whenIdle()
  }

  /** Resolves when nothing is being started or recorded. */
  async whenIdle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay.values())
  }

  /** Runs the check of a control on an attempt. */
  request(tx: Tx, control: Bead, root: Bead, attempt: Bead): void {
    if (this.options.checks.has(control.id)) return
    this.options.checks.add(tx, { controlId: control.id, rootId: root.id, attemptId: attempt.id })
    tx.after(() => this.#wake())
  }

  /** Ends the check of a control that is closed without it. */
  abandon(tx: Tx, control: string): void {
    if (!this.options.checks.has(control)) return
    const row = this.options.checks.find(control)
    if (!row) return
    this.options.checks.remove(tx, control)
    tx.after(() => this.#end(row))
  }

  #adopt(row: CheckRow): void {
    if (row.state !== 'running' || row.startedAt === null) return
    if (row.tokenHash !== null) this.options.tokens.adopt(row.tokenHash, `check of ${row.controlId}`)
    const control = this.options.beads.find(row.controlId)
    if (control) this.#armTimeout(row, control, row.startedAt)
  }

  /** Begins again what no host knows, and ends what no row knows. */
  async #match(): Promise<void> {
    const { store, deadlines, report } = this.context
    const { commands, checks } = this.options
    try {
      const hosted = await commands.names()
      const rows = checks.list()
      const lost = rows.filter((row) => row.state === 'running' && !hosted.has(nameOf(row)))
      if (lost.length > 0) {
        await store.write((tx) => {
          for (const row of lost) checks.restart(tx, row)
        }, CHECKS)
      }
      const known = new Set(rows.map(nameOf))
      await Promise.all([...hosted].filter((name) => !known.has(name)).map((name) => commands.end(name)))
    } catch (error) {
      report(`the checks of runs could not be matched with what runs: ${errorMessage(error)}`)
      deadlines.after(RETRY_MS, () => (this.#isRunning ? this.#match() : undefined))
    }
  }

  #wake(): void {
    if (!this.#isRunning) return
    const rows = this.options.checks.list()
    let room = MAX_RUNNING - rows.filter(({ state }) => state === 'running').length - this.#underWay.size
    for (const row of rows) {
      if (row.state !== 'starting' || this.#underWay.has(row.controlId) || this.#isHeld(row) || room-- <= 0) continue
      this.#track(row.controlId, this.#launch(row))
    }
  }

  #isHeld({ controlId }: CheckRow): boolean {
    const { beads, config, suspensions } = this.options
    return (
      beads.find(controlId) !== undefined && suspensions.holdOf(config.current, beads.rigOf(controlId)) !== undefined
    )
  }

  #track(control: string, work: Promise<unknown>): void {
    const tracked = work
      .then(() => {})
      .catch((error) => this.context.report(`the check of ${control} failed: ${errorMessage(error)}`))
      .finally(() => {
        if (this.#underWay.get(control) === tracked) this.#underWay.delete(control)
      })
    this.#underWay.set(control, tracked)
  }

  async #launch(row: CheckRow): Promise<void> {
    const { store, clock, deadlines, report } = this.context
    const { beads, commands, tokens, checks } = this.options
    const control = beads.find(row.controlId)
    const attempt = beads.find(row.attemptId)
    if (!control || !attempt) return this.#drop(row)
    const token = tokens.issue(`check of ${row.controlId}`)
    try {
      const command = this.#commandOf(control, attempt, token.env)
      const { pid, startedAt } = await commands.start(nameOf(row), command)
      const now = clock.now()
      await store.write((tx) => {
        const running = { pid, processStarted: startedAt, tokenHash: token.hash, startedAt: now }
        if (checks.has(row.controlId)) checks.setRunning(tx, row.controlId, running)
      }, CHECKS)
      if (checks.has(row.controlId)) this.#armTimeout(row, control, now)
      else this.#end(row)
    } catch (error) {
      tokens.end(token.hash)
      const isOurs = error instanceof AppError && error.code !== 'validation-failed'
      if (!isOurs) return this.#fail(row, errorMessage(error))
      report(`the check of ${row.controlId} could not be started; gc retries: ${errorMessage(error)}`)
      deadlines.after(RETRY_MS, () => this.#wake())
    }
  }

  #commandOf(control: Bead, attempt: Bead, identity: object): HostedCommand {
    const { path: city, environment, config } = this.options
    const packs = config.current.packs.map(({ folder }) => folder)
    const places = this.#placesOf(control, attempt, packs)
    const path = metadataValue(control, EngineKey.checkPath)
    if (path === '') throw new Error('the check names no script')
    const script = resolveScript(path, places)
    const folders = makeRunFolders(control, attempt, city)
    const env = { ...checkEnvironment(control, attempt, places, folders, environment()), ...identity }
    const command = { argv: [script], cwd: places.workDir ?? places.store, env }
    const rules = this.#rulesOf(control, attempt, command.cwd)
    const id = join(control.id, attempt.id)
    return rules ? confineCheck(command, { rules, id, script, places, folders, config: config.current }) : command
  }

  #rulesOf(control: Bead, attempt: Bead, folder: string): ConfinementRules | undefined {
    const { beads, confinement } = this.options
    const session = metadataValue(attempt, WorkKey.sessionId)
    try {
      return confinement.ofWork({ rig: beads.rigOf(control.id) || undefined, folder, session })
    } catch (error) {
      throw new Error(`the check was not started: ${errorMessage(error)}`)
    }
  }

  #placesOf(control: Bead, attempt: Bead, packs: readonly string[]): CheckPlaces {
    const { path, beads, config, sessions } = this.options
    const rig = config.current.rigs.find(({ name }) => name === beads.rigOf(control.id))
    const session = sessions.find(metadataValue(attempt, WorkKey.sessionId))
    const workDir = attempt.metadata?.[WorkKey.workDir] || session?.workDir || undefined
    return { city: path, store: rig?.path || path, workDir, packs }
  }

  #armTimeout(row: CheckRow, control: Bead, startedAt: number): void {
    const { deadlines } = this.context
    this.#timeouts.get(row.controlId)?.cancel()
    this.#timeouts.set(
      row.controlId,
      deadlines.at(startedAt + timeoutOf(control), () => this.#end(row)),
    )
  }

  /** Ends the processes of a check; the result of that is reported as its exit. */
  #end(row: CheckRow): void {
    const { report, deadlines } = this.context
    const { commands } = this.options
    commands.end(nameOf(row)).catch((error) => {
      report(`the check of ${row.controlId} could not be stopped: ${errorMessage(error)}`)
      deadlines.after(RETRY_MS, () => (this.#isRunning ? this.#end(row) : undefined))
    })
  }

  async #receive(exit: CommandExit): Promise<void> {
    const [control = ''] = exit.name.split('/')
    await this.#underWay.get(control)
    const row = this.options.checks.find(control)
    if (!row || nameOf(row) !== exit.name) return
    const recorded = this.#record(row, exit)
    this.#track(control, recorded)
    await recorded
  }

  async #record(row: CheckRow, exit: CommandExit): Promise<void> {
    const { store } = this.context
    const { beads, checks, tokens } = this.options
    this.#timeouts.get(row.controlId)?.cancel()
    this.#timeouts.delete(row.controlId)
    if (row.tokenHash !== null) tokens.end(row.tokenHash)
    await store.write((tx) => {
      if (!checks.has(row.controlId)) return
      const control = beads.find(row.controlId)
      const attempt = beads.find(row.attemptId)
      const result = control && resultOf(row, control, exit)
      if (control && !result) return checks.restart(tx, row)
      checks.remove(tx, row.controlId)
      if (control && attempt && result) this.#listener?.onResult(tx, control, attempt, result)
    }, CHECKS)
    this.#underWay.delete(row.controlId)
    this.#wake()
  }

  async #fail(row: CheckRow, message: string): Promise<void> {
    const { store } = this.context
    const { beads, checks } = this.options
    await store.write((tx) => {
      checks.remove(tx, row.controlId)
      const control = beads.find(row.controlId)
      if (control) this.#listener?.onError(tx, control, message)
    }, CHECKS)
  }

  async #drop(row: CheckRow): Promise<void> {
    await this.context.store.write((tx) => this.options.checks.remove(tx, row.controlId), CHECKS)
  }
}

/** A check of a control on one attempt has a name of its own each time it is begun. */
const nameOf = ({ controlId, attemptId, runs }: CheckRow): string => `${controlId}/${attemptId}/${runs + 1}`

/** A check that should be confined. */
interface ConfinedCheck {
  readonly rules: ConfinementRules
  /** Names its private folder, which the next attempt does not have: what one leaves there is nothing to the next. */
  readonly id: string
  readonly script: string
  readonly places: CheckPlaces
  readonly folders: RunFolders
  readonly config: Pick<CityConfig, 'rigs'>
}

/**
 * Confines a check: besides what who worked there may do, it reads its script, what the city and its packs have beside it
 * and the folder of its run, and writes its artifacts.
 */
function confineCheck(command: HostedCommand, check: ConfinedCheck): HostedCommand {
  const { rules, id, script, places, folders, config } = check
  const kept = privateFolder(places.city, id)
  const own = [...shippedIn(places, config), folders.molecule]
  return {
    ...command,
    env: { ...command.env, HOME: join(kept, 'state') },
    confine: {
      ...{ ...rules, private: kept },
      read: [...rules.read, ...declaredScript(script, places), ...own.map(realPath)],
      write: [...rules.write, realPath(folders.artifacts)],
    },
  }
}

const shippedIn = ({ city, store, packs }: CheckPlaces, { rigs }: Pick<CityConfig, 'rigs'>): string[] => [
  join(city, '.gc/scripts'),
  ...[city, ...packs].flatMap((configDir) =>
    readableEntries({ dir: store, configDir, linked: [] }, { rigs, path: city, packs: [] }),
  ),
]

/** A script that lies where a session works is read as all else there is. */
const declaredScript = (script: string, { city, store, packs }: CheckPlaces): string[] =>
  [city, store, ...packs].some((folder) => contains(realpathSync(folder), script)) ? [script] : []

/** Allowed folders of a check's script, and its working folder. */
interface CheckPlaces {
  /** The city's folder. */
  city: string
  /** The folder of the run's rig, else the city's. */
  store: string
  /** Folder of the attempt, if known. */
  workDir: string | undefined
  /** Folders of formulas and packs. */
  packs: readonly string[]
}

/** The folder in packs in which scripts lie that are named as if the city had them. */
const SHIPPED = '.gc/scripts/checks/'

/** The script that a check names; throws a sentence when it is not there, or lies where no script of it may lie. */
function resolveScript(path: string, { city, store, workDir, packs }: CheckPlaces): string {
  const candidates = isAbsolute(path)
    ? [path]
    : [
        ...[workDir, store, city].flatMap((base) => (base === undefined ? [] : [resolve(base, path)])),
        ...shipped(path, packs),
      ]
  const script = candidates.find((candidate) => existsSync(candidate))
  if (script === undefined) throw new Error(`the script of the check is not there: ${path}`)
  const real = realpathSync(script)
  const roots = [city, store, ...(workDir === undefined ? [] : [workDir]), ...packs].flatMap((root) =>
    existsSync(root) ? [realpathSync(root)] : [],
  )
  if (roots.some((root) => real.startsWith(`${root}${sep}`))) return real
  throw new Error(`the script of the check lies outside of the city, its rigs and packs: ${real}`)
}

const shipped = (path: string, packs: readonly string[]): string[] =>
  path.startsWith(SHIPPED) ? packs.map((pack) => join(pack, 'assets/scripts/checks', path.slice(SHIPPED.length))) : []

/** The folder of a run, and that of an attempt for what it hands on. */
interface RunFolders {
  molecule: string
  artifacts: string
}

/** The folders of a check, which are made where they are not there. */
function makeRunFolders(control: Bead, attempt: Bead, city: string): RunFolders {
  const molecule = join(city, '.gc', 'molecules', metadataValue(control, WorkflowKey.rootBeadId))
  const artifacts = join(molecule, 'artifacts', attempt.id)
  mkdirSync(artifacts, { recursive: true, mode: 0o700 })
  return { molecule, artifacts }
}

/** The environment of a check: only this, nothing is inherited. */
function checkEnvironment(
  control: Bead,
  attempt: Bead,
  { city, store, workDir }: CheckPlaces,
  { molecule, artifacts }: RunFolders,
  command: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    ...command,
    HOME: city,
    BEADS_DIR: join(store, '.beads'),
    GC_BEAD_ID: attempt.id,
    GC_ITERATION: metadataValue(attempt, WorkflowKey.attempt) || '1',
    GC_MAX_ITERATIONS: metadataValue(control, WorkflowKey.maxAttempts) || '1',
    GC_WISP_ID: metadataValue(control, WorkflowKey.rootBeadId),
    GC_WORK_DIR: workDir ?? store,
    GC_STORE_PATH: store,
    GC_MOLECULE_DIR: molecule,
    GC_ARTIFACT_DIR: artifacts,
  }
}
