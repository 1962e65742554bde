import { ProgramInspector } from '../../agents/readiness/index.ts'
import type { CityConfig } from '../../config/city/index.ts'
import type { Suspensions } from '../../config/suspensions/index.ts'
import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import { actorOf, sessionOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { ProcessTokens } from '../../http/process-tokens.ts'
import { asObject, asString, parseJson } from '../../programs/entries/index.ts'
import type { Bead, BeadRepository } from '../../work/beads/index.ts'
import { GateKey } from '../../work/metadata.ts'
import { type Gate, waitsForGitHub } from './gate.ts'
import { OpenGates } from './open-gates.ts'
import type { GateCheck, GateCheckResponse, GateCreate } from './schema.ts'

/** Interval of requests to GitHub for gates with a time limit, while their city and rig are not suspended. */
const POLL_MS = 60_000
const GATES = gcPart('gates')

/** Gates: beads that block others until a person, the time or GitHub resolves them. */
export class Gates {
  readonly open: OpenGates
  readonly #inspector: ProgramInspector
  readonly #timers = new Map<string, Deadline>()
  /** Latest problems of gates that need a person. */
  readonly #problems = new Map<string, string>()
  #poll: Deadline | undefined
  #polling: Promise<void> | undefined
  #isStopped = false

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      /** The city's name and folder. */
      name: string
      path: string
      env: Readonly<Record<string, string | undefined>>
      processTokens: ProcessTokens
      beadRepository: BeadRepository
      config: { readonly current: CityConfig }
      suspensions: Pick<Suspensions, 'holdOf'>
    },
  ) {
    this.open = new OpenGates(context, options.beadRepository)
    this.#inspector = new ProgramInspector(options.env, context.deadlines, options.processTokens)
  }

  /** Watches the gates that are open, and those that come. */
  start(): void {
    this.open.onChange((id) => this.#watch(id))
    this.open.start()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.open.stop()
    this.#poll?.cancel()
    for (const timer of this.#timers.values()) timer.cancel()
    await this.#polling
  }

  /** Reason a person has to look at a gate that waits for something else. */
  problemOf(gate: Gate): string | undefined {
    const problem = this.#problems.get(gate.id)
    if (problem !== undefined) return problem
    const isOverdue = waitsForGitHub(gate) && gate.due !== undefined && gate.due <= this.context.clock.now()
    return isOverdue ? 'its time limit has passed, and gc stopped asking GitHub' : undefined
  }

  /** Creates a gate that blocks a bead: both, or nothing. */
  async create(caller: Caller, body: GateCreate): Promise<Bead> {
    const { store } = this.context
    const { beadRepository: beads, name } = this.options
    const { type = 'human', await_id: awaitId, timeout_ms: timeout, description } = body
    if (type.startsWith('gh:') && !awaitId) {
      throw new AppError('invalid-request', `a gate of type ${type} needs await_id: the number at GitHub`)
    }
    if (type === 'timer' && timeout === undefined) {
      throw new AppError('invalid-request', 'a gate of type timer needs timeout_ms: when it is due')
    }
    return store.write((tx) => {
      const blocked = beads.get(body.blocks)
      const gate = beads.add(tx, {
        ...{ type: 'gate', rig: beads.rigOf(blocked.id), priority: 1, ephemeral: true, description },
        title: body.reason || `Gate of ${blocked.id}: ${type}${awaitId ? ` ${awaitId}` : ''}`,
        metadata: {
          [GateKey.awaitType]: type,
          ...(awaitId && { [GateKey.awaitId]: awaitId }),
          ...(timeout !== undefined && { [GateKey.timeout]: String(timeout) }),
        },
      })
      beads.depend(tx, blocked.id, [gate.id], 'blocks', { session: sessionOf(caller, name) })
      return gate
    }, actorOf(caller))
  }

  /** Resolves the gates whose time has come, or for which GitHub has what they wait for. */
  async check(caller: Caller, { type, dry_run: isDryRun = false }: GateCheck): Promise<GateCheckResponse> {
    const isWanted = ({ kind }: Gate) => !type || type === 'all' || kind === type || kind.startsWith(`${type}:`)
    const gates = this.open.list().filter(isWanted)
    const resolved: GateCheckResponse['resolved'] = []
    const failed: GateCheckResponse['failed'] = []
    const waiting: string[] = []
    for (const gate of gates) {
      const result = await this.#examine(gate)
      if (result.is === 'waiting') waiting.push(gate.id)
      else (result.is === 'passed' ? resolved : failed).push({ id: gate.id, reason: result.reason })
    }
    if (!isDryRun && resolved.length > 0) {
      await this.context.store.write((tx) => {
        for (const { id, reason } of resolved) this.#resolve(tx, id, reason)
      }, actorOf(caller))
    }
    return { checked: gates.length, resolved, failed, waiting }
  }

  async #examine(gate: Gate): Promise<GateResult> {
    if (waitsForGitHub(gate)) return this.#askGitHub(gate)
    const isDue = gate.kind === 'timer' && (gate.due ?? Number.POSITIVE_INFINITY) <= this.context.clock.now()
    return isDue ? { is: 'passed', reason: 'the time has come' } : { is: 'waiting' }
  }

  async #askGitHub(gate: Gate): Promise<GateResult> {
    const result = await checkGitHub(gate, this.#inspector, this.#folderOf(gate))
    if (result.is === 'failed' || result.is === 'error') this.#setProblem(gate.id, result.reason)
    else this.#setProblem(gate.id, undefined)
    return result
  }

  #setProblem(id: string, reason: string | undefined): void {
    if (this.#problems.get(id) === reason || !this.open.find(id)) return
    if (reason === undefined) this.#problems.delete(id)
    else this.#problems.set(id, reason)
    this.open.notify(id)
  }

  #folderOf({ id }: Gate): string {
    const { beadRepository, config, path } = this.options
    const rig = beadRepository.rigOf(id)
    return config.current.rigs.find(({ name }) => name === rig)?.path ?? path
  }

  #resolve(tx: Tx, id: string, reason: string): void {
    const { beadRepository } = this.options
    if (beadRepository.find(id)?.status === 'open') beadRepository.close(tx, id, reason)
  }

  /** Sets the deadline of a gate that came or changed; cancels that of one that went. */
  #watch(id: string): void {
    const gate = this.open.find(id)
    const timer = this.#timers.get(id)
    if (!gate) {
      this.#problems.delete(id)
      this.#timers.delete(id)
      timer?.cancel()
      return
    }
    if (gate.due === undefined || gate.kind === 'human' || timer?.due === gate.due) return
    timer?.cancel()
    this.#timers.set(
      id,
      this.context.deadlines.at(gate.due, () => this.#onDue(id)),
    )
    if (waitsForGitHub(gate)) this.#armPoll()
  }

  async #onDue(id: string): Promise<void> {
    const gate = this.open.find(id)
    if (!gate || this.#isStopped) return
    if (gate.kind !== 'timer') {
      this.open.notify(id)
      return
    }
    const { store, reportError } = this.context
    await store.write((tx) => this.#resolve(tx, id, 'the time has come'), GATES).catch(reportError)
  }

  #armPoll(): void {
    if (this.#poll || this.#isStopped) return
    this.#poll = this.context.deadlines.after(POLL_MS, () => {
      this.#poll = undefined
      this.#polling ??= this.#pollGitHub()
        .catch(this.context.reportError)
        .finally(() => {
          this.#polling = undefined
          if (this.#polled().length > 0) this.#armPoll()
        })
    })
  }

  #polled(): Gate[] {
    const now = this.context.clock.now()
    return this.open.list().filter((gate) => waitsForGitHub(gate) && gate.due !== undefined && gate.due > now)
  }

  async #pollGitHub(): Promise<void> {
    const { suspensions, config, beadRepository } = this.options
    for (const gate of this.#polled()) {
      if (this.#isStopped) return
      if (suspensions.holdOf(config.current, beadRepository.rigOf(gate.id)) !== undefined) continue
      const result = await this.#askGitHub(gate)
      if (result.is === 'passed')
        await this.context.store.write((tx) => this.#resolve(tx, gate.id, result.reason), GATES)
    }
  }
}

/** Result of a gate's condition. */
type GateResult =
  | { is: 'passed'; reason: string }
  | { is: 'waiting' }
  /** It ended otherwise than was hoped for, or cannot be found out: a person has to look. */
  | { is: 'failed' | 'error'; reason: string }

const TIMEOUT_MS = 20_000

/** Looks at GitHub by `gh`, whose login is used, in a folder of the repository. */
async function checkGitHub(gate: Gate, inspector: ProgramInspector, folder: string): Promise<GateResult> {
  const [what, fields] = gate.kind === 'gh:run' ? ['run', 'status,conclusion'] : ['pr', 'state']
  if (!isReference(gate.awaitId)) return error(`${gate.awaitId || 'nothing'} is not a number and no address of GitHub`)
  const command = ['gh', what, 'view', gate.awaitId, '--json', fields]
  const { code, stdout, timedOut } = await inspector.run(command, {
    folder,
    timeout: TIMEOUT_MS,
    purpose: 'gate check',
  })
  if (timedOut) return error('`gh` did not answer in time')
  if (code === undefined) return error('`gh` is not installed')
  if (code !== 0) return error(`\`gh ${what} view ${gate.awaitId}\` failed with exit code ${code}`)
  return gate.kind === 'gh:run' ? judgeRun(gate, stdout) : judgePullRequest(gate, stdout)
}

const error = (reason: string): GateResult => ({ is: 'error', reason })

/** A number, or an address at a GitHub; never an option of `gh`. */
const isReference = (id: string): boolean =>
  /^#?\d{1,20}$/.test(id) || /^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+\/[\w/.-]+$/.test(id)

function judgeRun({ awaitId }: Gate, stdout: string): GateResult {
  const run = asObject(parseJson(stdout))
  const [status, conclusion] = [asString(run.status), asString(run.conclusion)]
  if (!status) return error('`gh` printed no status')
  if (status !== 'completed') return { is: 'waiting' }
  if (conclusion === 'success') return { is: 'passed', reason: `run ${awaitId} succeeded` }
  return { is: 'failed', reason: `run ${awaitId} ended with ${conclusion || 'no conclusion'}` }
}

function judgePullRequest({ awaitId }: Gate, stdout: string): GateResult {
  const state = asString(asObject(parseJson(stdout)).state)
  if (!state) return error('`gh` printed no state')
  if (state === 'MERGED') return { is: 'passed', reason: `pull request ${awaitId} is merged` }
  if (state === 'CLOSED') return { is: 'failed', reason: `pull request ${awaitId} was closed and not merged` }
  return { is: 'waiting' }
}
