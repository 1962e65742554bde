import type { Deadlines } from '../../core/deadlines.ts'
import { killCgroup, pidsInCgroup, removeCgroup } from './cgroup-files.ts'
import { carries, mayHaveMarks, sessionEnvironments } from './marks.ts'
import type { Process } from './process-info.ts'
import { commandLine, environmentOf, type ProcessTable, readProcess } from './process-table.ts'
import { ancestorsOf, familyOf, identity, type Origin } from './tree.ts'

/** A process that was looked at; pid and `started` together name no other. */
export interface ProcessSummary {
  pid: number
  started: string
  command: string
}

export interface EndingResult {
  /** Those that left for a session of their own and were let live. */
  daemons: ProcessSummary[]
  /** Those that are still there although KILL was sent. */
  survivors: ProcessSummary[]
}

export interface EndingOptions {
  /** Milliseconds between TERM and KILL. */
  grace: number
  /** Ends those that left for a session of their own as well. */
  daemons: boolean
}

/** Maximum time KILL may take to work before the process is called a survivor. */
const KILL_MS = 5_000
const FIRST_LOOK_MS = 10
const LAST_LOOK_MS = 100

/**
 * Ends whole trees of processes: TERM, KILL after the grace, and looked at until they are gone. The looks are bounded
 * by the grace; a look that fails makes the ending fail, since no one knows then what still runs.
 */
export class ProcessEnder {
  constructor(
    private readonly table: ProcessTable,
    private readonly deadlines: Deadlines,
  ) {}

  async end(origins: readonly Origin[], { grace, daemons }: EndingOptions): Promise<EndingResult> {
    const run = new EndingRun(this.table, origins, daemons)
    await run.scan(true)
    if (!run.isOver) await this.#endAlive(run, grace)
    for (const path of run.cgroups) await this.#endCgroup(run, path)
    return { daemons: run.daemons.map(summarize), survivors: run.alive.map(summarize) }
  }

  async #endAlive(run: EndingRun, grace: number): Promise<void> {
    run.send('SIGTERM', 'SIGCONT')
    if (!(await this.#gone(run, grace))) await this.#kill(run)
    if ((await run.scan(true)).length > 0) await this.#kill(run)
  }

  /** Ends single processes that are still the same ones, with their descendants; answers with those still there. */
  async endSeen(processes: readonly ProcessSummary[], grace: number): Promise<ProcessSummary[]> {
    const origins = processes.map(({ pid, started }): Origin => ({ pid, started, marks: [] }))
    const outcome = await this.end(origins, { grace, daemons: false })
    return outcome.survivors
  }

  /** Daemons that left each of these sessions, found in one scan. */
  async daemonsOf(sessions: readonly (readonly Origin[])[]): Promise<ProcessSummary[][]> {
    const processes = await this.table.list()
    const environments = await sessionEnvironments(processes)
    const spared = ancestorsOf(processes, process.pid)
    return sessions.map((origins) => {
      const families = origins.map((origin) => {
        const marked = [...environments].flatMap(([pid, environment]) =>
          carries(environment, origin.marks) ? [pid] : [],
        )
        const grouped = origin.cgroup === undefined ? [] : pidsInCgroup(origin.cgroup)
        return familyOf(processes, origin, new Set(), new Set([...marked, ...grouped]), spared)
      })
      const members = new Set(families.flatMap((family) => family.members.map(({ pid }) => pid)))
      return unique(families.flatMap(({ daemons }) => daemons))
        .filter(({ pid }) => !members.has(pid))
        .map(summarize)
    })
  }

  async #kill(run: EndingRun): Promise<void> {
    run.send('SIGKILL')
    await this.#gone(run, KILL_MS, 'SIGKILL')
  }

  /** Kills immediately what was born since the last look, and removes the group. */
  async #endCgroup(run: EndingRun, path: string): Promise<void> {
    if (pidsInCgroup(path).length > 0) {
      killCgroup(path)
      await run.scan(false)
      await this.#gone(run, KILL_MS)
    }
    removeCgroup(path)
  }

  async #gone(run: EndingRun, within: number, again?: NodeJS.Signals): Promise<boolean> {
    let pause = FIRST_LOOK_MS
    for (let waited = 0; run.alive.length > 0; waited += pause) {
      if (waited >= within) return false
      await this.deadlines.sleep(pause)
      await run.scan(false)
      if (again) run.send(again)
      pause = Math.min(pause * 2, LAST_LOOK_MS)
    }
    return true
  }
}

/** One ending under way: who belongs to it grows with every look, and no one who once did is forgotten. */
class EndingRun {
  alive: Process[] = []
  daemons: Process[] = []
  readonly #seen = new Set<string>()
  readonly #marked = new Set<string>()

  constructor(
    private readonly table: ProcessTable,
    private readonly origins: readonly Origin[],
    private readonly withDaemons: boolean,
  ) {}

  /** The groups that end with it. */
  get cgroups(): string[] {
    return [...new Set(this.origins.flatMap(({ cgroup }) => cgroup ?? []))]
  }

  /** True if the last look found no one, and could miss no one: who is born during a look is in the groups after it. */
  get isOver(): boolean {
    const isGrouped = this.origins.every(({ cgroup }) => cgroup !== undefined)
    return this.alive.length === 0 && isGrouped && this.cgroups.every((path) => pidsInCgroup(path).length === 0)
  }

  /** Looks who is there; with `marks`, also who carries the marks. */
  async scan(marks: boolean): Promise<Process[]> {
    const processes = await this.table.list()
    const spared = ancestorsOf(processes, process.pid)
    const strangers = processes.filter(({ pid, zombie }) => !zombie && !spared.has(pid))
    const grouped = new Set(this.cgroups.flatMap(pidsInCgroup))
    for (const one of strangers) if (grouped.has(one.pid)) this.#seen.add(identity(one))
    if (marks) for (const one of strangers) if (this.#carriesMarks(one)) this.#marked.add(identity(one))
    const marked = new Set(processes.filter((one) => this.#marked.has(identity(one))).map(({ pid }) => pid))
    const families = this.origins.map((origin) => familyOf(processes, origin, this.#seen, marked, spared))
    this.alive = unique(
      families.flatMap(({ members, daemons }) => (this.withDaemons ? [...members, ...daemons] : members)),
    )
    const taken = new Set(this.alive.map(({ pid }) => pid))
    this.daemons = unique(families.flatMap(({ daemons }) => daemons)).filter(({ pid }) => !taken.has(pid))
    for (const one of this.alive) this.#seen.add(identity(one))
    return this.alive
  }

  /** Signals everybody who is there, if it is still the one that was seen. */
  send(...signals: NodeJS.Signals[]): void {
    for (const { pid, started } of this.alive) {
      if (readProcess(pid)?.started !== started) continue
      for (const signal of signals) kill(pid, signal)
    }
  }

  #carriesMarks(one: Process): boolean {
    const origins = this.origins.filter((origin) => mayHaveMarks(one, origin))
    const environment = origins.length > 0 ? environmentOf(one.pid) : undefined
    return environment !== undefined && origins.some(({ marks }) => carries(environment, marks))
  }
}

const unique = (processes: Process[]): Process[] => [...new Map(processes.map((one) => [one.pid, one])).values()]

export const summarize = ({ pid, started, command }: Process): ProcessSummary => ({
  pid,
  started,
  command: commandLine({ pid, command }),
})

/** Sends a signal; a process that has already ended is not an error. */
export function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    if (error instanceof Error && 'code' in error && error.code === 'EPERM') return false
    throw error
  }
}
