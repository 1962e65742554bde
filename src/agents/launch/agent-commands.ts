import type { AgentConfig } from '../../config/agents/index.ts'
import type { Config } from '../../config/compose/index.ts'
import { AppError } from '../../core/errors.ts'
import { type CommandConfinement, withoutSecrets } from '../confinement/index.ts'
import type { ShellOptions, ShellResult, ShellRunner } from './shell-runner.ts'

interface AgentCommandsOptions {
  config: Pick<Config, 'current'>
  shell: Pick<ShellRunner, 'run'>
  /** The city's folder. */
  path: string
  /** The environment of the city's commands. */
  env: Readonly<Record<string, string | undefined>>
  confinement: Pick<CommandConfinement, 'ofAgent'>
}

/** Runs the commands by which agents look for work and take it: in the folder of their rig, else in that of the city. */
export class AgentCommands {
  constructor(private readonly options: AgentCommandsOptions) {}

  /** Runs one; `key` is the key of the agent that declares it. Throws where the agent's rig is bound to no folder. */
  run(
    agent: AgentConfig,
    key: string,
    line: string,
    limits: Pick<ShellOptions, 'timeout' | 'signal'>,
  ): Promise<ShellResult> {
    const { config, shell, path, env, confinement } = this.options
    const rig = config.current.rigs.find(({ name }) => name === agent.dir)
    if (rig && rig.path === undefined) {
      const how = `\`gc rig add <folder> --name ${rig.name}\` says where it is`
      throw new AppError('conflict-wrong-state', `rig ${rig.name} is bound to no folder; ${how}`)
    }
    const confine = confinement.ofAgent(agent)
    const names = { GC_CITY: path, GC_AGENT: agent.qualified, GC_TEMPLATE: agent.qualified }
    return shell.run(line, {
      ...{ ...limits, confine, name: `${key} of ${agent.qualified}`, cwd: rig?.path ?? path },
      env: { ...(confine ? withoutSecrets(env) : env), ...agent.env, ...names },
    })
  }
}
