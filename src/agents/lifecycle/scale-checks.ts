import type { AgentConfig } from '../../config/city-config.ts'
import type { Config } from '../../config/config.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import type { ShellOptions, ShellResult } from './shell-runner.ts'

interface Parts {
  config: Pick<Config, 'current' | 'onChange'>
  deadlines: Deadlines
  /** The city's folder, and the environment its commands have. */
  path: string
  env: Readonly<Record<string, string | undefined>>
  run(line: string, options: ShellOptions): Promise<ShellResult>
  /** Whether an agent may start nothing now, so that asking what it needs is no use. */
  held(agent: AgentConfig): boolean
  changed(): void
  report(message: string): void
}

/** A check that takes longer than this says nothing. */
const TIMEOUT = 30_000
/** More than so many sessions are not started at a check's word. */
const MAX_SESSIONS = 1000

/** Runs the scale checks of agents at their interval, so many at a time, and remembers what each last asked for. */
export class ScaleChecks {
  readonly #wanted = new Map<string, number>()
  readonly #failed = new Set<string>()
  readonly #closing = new AbortController()
  #next: Deadline | undefined
  #running: Promise<void> | undefined

  constructor(private readonly parts: Parts) {}

  /** How many sessions an agent's scale check asks for beside those it has. */
  desired(agent: string): number {
    return this.#wanted.get(agent) ?? 0
  }

  /** Asks now, and from now on at the interval. */
  start(): void {
    if (this.#closing.signal.aborted || this.#running) return
    this.#next?.cancel()
    const { agents, daemon } = this.parts.config.current
    const checked = agents.filter(({ scaleCheck }) => scaleCheck !== undefined)
    for (const name of this.#wanted.keys()) {
      if (!checked.some(({ qualified }) => qualified === name)) this.#wanted.delete(name)
    }
    if (checked.length === 0) return
    this.#running = this.#round(checked, daemon.probeConcurrency).then(() => {
      this.#running = undefined
      if (!this.#closing.signal.aborted) {
        this.#next = this.parts.deadlines.after(this.parts.config.current.daemon.patrolInterval, () => this.start())
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
      for (let agent = left.shift(); agent; agent = left.shift()) await this.#ask(agent)
    }
    await Promise.all(Array.from({ length: Math.max(1, width) }, worker))
  }

  async #ask(agent: AgentConfig): Promise<void> {
    const { qualified, scaleCheck = '' } = agent
    if (this.parts.held(agent)) {
      this.#set(qualified, 0)
      return
    }
    try {
      const { GC_TOKEN: _, ...own } = this.parts.env
      const rig = this.parts.config.current.rigs.find(({ name }) => name === agent.dir)
      const env = { ...own, ...agent.env, GC_CITY: this.parts.path, GC_AGENT: qualified, GC_TEMPLATE: qualified }
      const cwd = rig?.path ?? this.parts.path
      const ran = await this.parts.run(scaleCheck, { cwd, env, timeout: TIMEOUT, signal: this.#closing.signal })
      this.#heard(qualified, ran)
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#fault(qualified, errorMessage(error))
    }
  }

  #heard(agent: string, { code, output: said }: ShellResult): void {
    if (this.#closing.signal.aborted) return
    const why = problemWith({ code, output: said })
    if (why === undefined) this.#worked(agent, Number(said))
    else this.#fault(agent, why)
  }

  #worked(agent: string, wanted: number): void {
    this.#failed.delete(agent)
    this.#set(agent, Math.min(wanted, MAX_SESSIONS))
  }

  /** A check that fails asks for nothing; that is told once, until it works again. */
  #fault(agent: string, why: string): void {
    if (!this.#failed.has(agent)) this.parts.report(`scale_check of ${agent}: ${why}`)
    this.#failed.add(agent)
    this.#set(agent, 0)
  }

  #set(agent: string, wanted: number): void {
    if (this.desired(agent) === wanted) return
    this.#wanted.set(agent, wanted)
    this.parts.changed()
  }
}

/** Why what a check said cannot be used. */
function problemWith({ code, output: said }: ShellResult): string | undefined {
  if (code === undefined) return `it took longer than ${TIMEOUT / 1000} s`
  if (code !== 0) return `it ended with exit code ${code}: ${said.slice(-300)}`
  return /^\d{1,6}$/.test(said) ? undefined : `it said "${said.slice(0, 100)}", which is not a number`
}
