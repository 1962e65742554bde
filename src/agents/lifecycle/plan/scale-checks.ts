import type { AgentConfig } from '../../../config/agents/index.ts'
import type { Config } from '../../../config/compose/index.ts'
import type { CityContext } from '../../../core/city-context.ts'
import type { Deadline } from '../../../core/deadlines.ts'
import { errorMessage } from '../../../core/errors.ts'
import type { AgentCommands, ShellResult } from '../../launch/index.ts'

/** A check that takes longer than this fails. */
const TIMEOUT = 30_000
/** The most sessions that a check can ask for. */
const MAX_SESSIONS = 1000

/** Runs the scale checks of agents at their interval, a limited number at a time, and keeps what each last asked for. */
export class ScaleChecks {
  readonly #desired = new Map<string, number>()
  readonly #failed = new Set<string>()
  readonly #closing = new AbortController()
  #next: Deadline | undefined
  #running: Promise<void> | undefined

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      config: Pick<Config, 'current' | 'onChange'>
      commands: Pick<AgentCommands, 'run'>
      /** True if an agent may start nothing now, so that a check is no use. */
      isSuspended(agent: AgentConfig): boolean
      onChange(): void
    },
  ) {}

  /** Number of further sessions that an agent's scale check requests. */
  desired(agent: string): number {
    return this.#desired.get(agent) ?? 0
  }

  /** Runs the checks now, and from now on at the interval. */
  start(): void {
    if (this.#closing.signal.aborted || this.#running) return
    this.#next?.cancel()
    const { agents, daemon } = this.peers.config.current
    const checked = agents.filter(({ scaleCheck }) => scaleCheck !== undefined)
    for (const name of this.#desired.keys()) {
      if (!checked.some(({ qualified }) => qualified === name)) this.#desired.delete(name)
    }
    if (checked.length === 0) return
    this.#running = this.#round(checked, daemon.probeConcurrency).then(() => {
      this.#running = undefined
      if (!this.#closing.signal.aborted) {
        this.#next = this.context.deadlines.after(this.peers.config.current.daemon.patrolInterval, () => this.start())
      }
    })
  }

  async close(): Promise<void> {
    this.#next?.cancel()
    this.#closing.abort(new Error('the city is closing'))
    await this.#running
  }

  async #round(agents: readonly AgentConfig[], width: number): Promise<void> {
    const left = [...agents]
    const worker = async () => {
      for (let agent = left.shift(); agent; agent = left.shift()) await this.#check(agent)
    }
    await Promise.all(Array.from({ length: Math.max(1, width) }, worker))
  }

  async #check(agent: AgentConfig): Promise<void> {
    const { qualified, scaleCheck = '' } = agent
    if (this.peers.isSuspended(agent)) {
      this.#set(qualified, 0)
      return
    }
    try {
      const limits = { timeout: TIMEOUT, signal: this.#closing.signal }
      this.#onResult(qualified, await this.peers.commands.run(agent, 'scale_check', scaleCheck, limits))
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#fail(qualified, errorMessage(error))
    }
  }

  #onResult(agent: string, { code, output }: ShellResult): void {
    if (this.#closing.signal.aborted) return
    const problem = problemWith({ code, output })
    if (problem === undefined) this.#succeed(agent, Number(output))
    else this.#fail(agent, problem)
  }

  #succeed(agent: string, desired: number): void {
    this.#failed.delete(agent)
    this.#set(agent, Math.min(desired, MAX_SESSIONS))
  }

  /** A check that fails asks for nothing; it is reported once until it succeeds again. */
  #fail(agent: string, problem: string): void {
    if (!this.#failed.has(agent)) this.context.report(`scale_check of ${agent}: ${problem}`)
    this.#failed.add(agent)
    this.#set(agent, 0)
  }

  #set(agent: string, desired: number): void {
    if (this.desired(agent) === desired) return
    this.#desired.set(agent, desired)
    this.peers.onChange()
  }
}

/** Reason the result of a check cannot be used. */
function problemWith({ code, output }: Pick<ShellResult, 'code' | 'output'>): string | undefined {
  if (code === undefined) return `it took longer than ${TIMEOUT / 1000} s`
  if (code !== 0) return `it ended with exit code ${code}: ${output.slice(-300)}`
  return /^\d{1,6}$/.test(output) ? undefined : `it printed "${output.slice(0, 100)}", which is not a number`
}
