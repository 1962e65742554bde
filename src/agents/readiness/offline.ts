import type { CityConfig } from '../../config/city/index.ts'
import { resolveProvider } from '../../config/providers/index.ts'
import { systemClock } from '../../core/clock.ts'
import { Deadlines } from '../../core/deadlines.ts'
import { ProcessTokens } from '../../http/process-tokens.ts'
import { PRESETS } from '../../programs/presets.ts'
import type { Obstacle } from '../../programs/program.ts'
import { ProgramInspector } from './inspector.ts'
import { protocolObstacle } from './obstacles.ts'
import { DEFAULT_PROVIDERS, PROBES } from './probes.ts'
import { Readiness } from './readiness.ts'

/** An agent program, as this machine has it. */
export interface FoundProgram {
  /** The name of its preset. */
  readonly name: string
  readonly displayName: string
  readonly isInstalled: boolean
  /** True if it is logged in, as far as that shows. */
  readonly isReady: boolean
  /** Missing parts, or unknown ones. */
  readonly detail?: string
  /** The lines that install it and log in to it. */
  readonly install: string
  readonly login: string
}

/** Finds the agent programs of this machine without a supervisor: those that are installed, and those that gc knows best. */
export async function findPrograms(env: Readonly<Record<string, string | undefined>>): Promise<FoundProgram[]> {
  const deadlines = new Deadlines()
  const tokens = new ProcessTokens({ city: '', url: () => '' })
  const names = [...PROBES].flatMap(([name, { kind }]) => (kind === 'provider' ? name : []))
  try {
    const readiness = new Readiness({ clock: systemClock, deadlines, env, tokens })
    const { providers } = await readiness.providers({ providers: names.join(','), fresh: true })
    return Object.entries(providers).flatMap(([name, { display_name, status, detail }]) => {
      const preset = PRESETS.get(name)
      const isInstalled = status !== 'not_installed'
      if (!preset || (!isInstalled && !DEFAULT_PROVIDERS.includes(name))) return []
      const { install, login } = preset
      const isReady = status === 'configured'
      return { name, displayName: display_name, isInstalled, isReady, ...(detail && { detail }), install, login }
    })
  } finally {
    deadlines.close()
  }
}

/** The obstacle between the program of an agent and gc; undefined without one. */
export async function agentObstacle(
  env: Readonly<Record<string, string | undefined>>,
  { agents, providers, rigs }: Pick<CityConfig, 'agents' | 'providers' | 'rigs'>,
  qualified: string,
): Promise<Obstacle | undefined> {
  const agent = agents.find((each) => each.qualified === qualified)
  if (agent?.provider === undefined) return undefined
  const deadlines = new Deadlines()
  const inspector = new ProgramInspector(env, deadlines, new ProcessTokens({ city: '', url: () => '' }))
  try {
    const folder = rigs.find(({ name }) => name === agent.dir)?.path
    return await protocolObstacle(agent, resolveProvider(agent.provider, providers), folder, inspector)
  } finally {
    deadlines.close()
  }
}
