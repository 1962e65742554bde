import { resolve } from 'node:path'
import type { AgentConfig } from '../../config/agents/index.ts'
import type { Config } from '../../config/compose/index.ts'
import { fixedPath, writtenByAgents } from '../../config/confinement/index.ts'
import { commandFields } from '../../config/prompts/index.ts'
import { renderShellCommand } from '../../config/providers/index.ts'
import { AppError } from '../../core/errors.ts'
import { isEmpty } from '../../core/folders.ts'
import { shellQuote } from '../../core/text/index.ts'
import type { Confinement } from '../../host/protocol/index.ts'
import { identityOf, type SessionRow } from '../../work/sessions/index.ts'
import { worktreeParts } from '../confinement/index.ts'
import type { LaunchPlanner } from './launch-planner.ts'
import type { PreparedLaunch } from './prepared-launch.ts'
import type { ShellOptions, ShellResult, ShellRunner } from './shell-runner.ts'

interface SetupCommandsOptions {
  config: Pick<Config, 'current'>
  launchPlanner: LaunchPlanner
  shell: ShellRunner
  /** The city's folder. */
  path: string
  /** The environment of the city's commands. */
  env: Readonly<Record<string, string | undefined>>
}

/** A declared command, and the key that declares it. */
interface SetupStep {
  key: string
  line: string
  /** The script that the line runs. */
  script?: string
}

/**
 * Runs the commands that agents declare for the start and the end of their sessions. Those that run where a confined
 * session works are confined like it: what it left there would run by them.
 */
export class SetupCommands {
  readonly #closing = new AbortController()

  constructor(private readonly options: SetupCommandsOptions) {}

  /** Runs `pre_start`; throws with the reason when a command fails. */
  async before(row: SessionRow, prepared: PreparedLaunch): Promise<void> {
    const steps = this.#agent(row)?.preStart.map((line) => ({ key: 'pre_start', line })) ?? []
    if (steps.length === 0) return
    const { cwd, env } = prepared
    const confine = prepared.confine && this.#ofPreStart(row, prepared.confine)
    for (const step of steps) {
      const failure = await this.#failure(row, step, { cwd, env, confine })
      if (failure) throw new AppError('service-unavailable', failure)
    }
  }

  /** Runs the commands for when the program is up; resolves with the failures. */
  async after(row: SessionRow, prepared: PreparedLaunch): Promise<string[]> {
    const agent = this.#agent(row)
    if (!agent || agent.lifecycle === 'one_shot') return []
    return this.#failures(row, stepsAfter(agent, this.options.path), prepared)
  }

  /** Runs `session_live` for a running session; resolves with the failures. */
  async again(row: SessionRow, prepared: Pick<PreparedLaunch, 'cwd' | 'env' | 'confine'>): Promise<string[]> {
    const agent = this.#agent(row)
    return agent ? this.#failures(row, liveSteps(agent), prepared) : []
  }

  /** Runs `on_death` after a crash; resolves with the failure, if any. */
  async death(row: SessionRow): Promise<string | undefined> {
    const line = this.#agent(row)?.onDeath
    if (!line) return undefined
    const step = { key: 'on_death', line }
    const { path: cwd, launchPlanner } = this.options
    if ((launchPlanner.confinable(row)?.confine ?? 'off') === 'off')
      return this.#failure(row, step, { cwd, env: this.#variables(row), confine: undefined })
    const { env, confine } = launchPlanner.prepare(row, '', '')
    return this.#failure(row, step, { cwd, env, confine })
  }

  /** Runs `on_boot` when the city starts; resolves with the failure, if any. */
  async boot(agent: AgentConfig): Promise<string | undefined> {
    if (!agent.onBoot) return undefined
    const env = { ...this.#env(agent), GC_AGENT: agent.qualified, GC_TEMPLATE: agent.qualified }
    const timeout = this.options.config.current.session.setupTimeout
    const result = await this.options.shell.run(agent.onBoot, {
      name: `on_boot of ${agent.qualified}`,
      cwd: this.options.path,
      env,
      timeout,
      signal: this.#signal,
    })
    return failureMessage({ key: `on_boot of ${agent.qualified}`, line: agent.onBoot }, result, timeout)
  }

  close(): void {
    this.#closing.abort(new Error('the city is closing'))
  }

  get path(): string {
    return this.options.path
  }

  get #signal(): AbortSignal {
    return this.#closing.signal
  }

  /**
   * A folder becomes a linked worktree of its rig only by who may change the rig's repository: `pre_start`, as long as
   * nothing is in the folder that a session could have left there.
   */
  #ofPreStart(row: SessionRow, confine: Confinement): Confinement {
    const { current } = this.options.config
    const rig = this.options.launchPlanner.rigPath(row.rig)
    if (rig === undefined || this.#agent(row)?.workDir === undefined || !isEmpty(row.workDir)) return confine
    return { ...confine, write: [...confine.write, ...worktreeParts(fixedPath(rig, writtenByAgents(current)))] }
  }

  #agent(row: SessionRow): AgentConfig | undefined {
    return row.kind === 'agent' ? this.options.launchPlanner.agent(row.template) : undefined
  }

  #env({ env }: AgentConfig): Record<string, string | undefined> {
    return { ...this.options.env, ...env, GC_CITY: this.options.path }
  }

  #variables(row: SessionRow): Record<string, string | undefined> {
    const agent = this.#agent(row)
    const names = { GC_SESSION_ID: row.id, GC_SESSION_NAME: row.sessionName, GC_TEMPLATE: row.template }
    return { ...(agent && this.#env(agent)), ...names, GC_DIR: row.workDir, GC_RIG: row.rig }
  }

  async #failures(
    row: SessionRow,
    steps: readonly SetupStep[],
    prepared: Pick<PreparedLaunch, 'cwd' | 'env' | 'confine'>,
  ): Promise<string[]> {
    const failures: string[] = []
    for (const step of steps) {
      const failure = await this.#failure(row, step, prepared)
      if (failure) failures.push(failure)
    }
    return failures
  }

  async #failure(
    row: SessionRow,
    step: SetupStep,
    { cwd, env, confine }: Pick<ShellOptions, 'cwd' | 'env' | 'confine'>,
  ): Promise<string | undefined> {
    const { config, launchPlanner, shell } = this.options
    const timeout = config.current.session.setupTimeout
    const line = renderShellCommand(step.line, commandFields(launchPlanner.promptSubject(row)), step.key)
    const name = `${step.key} of ${identityOf(row)}`
    const readable = confine && step.script ? { ...confine, read: [...confine.read, step.script] } : confine
    const result = await shell.run(line, { name, cwd, env, confine: readable, timeout, signal: this.#signal })
    this.#signal.throwIfAborted()
    return failureMessage(step, result, timeout)
  }
}

function stepsAfter(agent: AgentConfig, path: string): SetupStep[] {
  const script = agent.sessionSetupScript && resolve(path, agent.sessionSetupScript)
  return [
    ...agent.sessionSetup.map((line) => ({ key: 'session_setup', line })),
    ...(script ? [{ key: 'session_setup_script', line: shellQuote(script), script }] : []),
    ...liveSteps(agent),
  ]
}

const liveSteps = ({ sessionLive }: AgentConfig): SetupStep[] =>
  sessionLive.map((line) => ({ key: 'session_live', line }))

/** Reason a command failed, as a sentence; undefined when it did not. */
function failureMessage({ key, line }: SetupStep, { code, output }: ShellResult, timeout: number): string | undefined {
  if (code === 0) return undefined
  const how = code === undefined ? `was stopped after ${timeout / 1000} s` : `ended with exit code ${code}`
  return `${key} \`${line.slice(0, 200)}\` ${how}${output ? `: ${output.slice(-500)}` : ''}`
}
