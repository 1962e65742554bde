import { homedir } from 'node:os'
import type { AgentConfig } from '../../config/agents/index.ts'
import type { CityConfig } from '../../config/city/index.ts'
import { agentProfile, builtinOf } from '../../config/confinement/index.ts'
import { loginFile, storedKeys } from './private-home.ts'

type Confined = Pick<AgentConfig, 'confine' | 'confineTable' | 'dir' | 'provider' | 'startCommand'>

/** A login that the program of a provider would use, were its sessions not confined. */
export interface UnsharedLogin {
  readonly provider: string
  readonly file: string
}

/** The login that confined sessions do not see because no one said whether they may; undefined where there is none. */
export function unsharedLogin(
  agent: Confined | undefined,
  config: Pick<CityConfig, 'rigs' | 'providers'>,
  variables: Readonly<Record<string, string | undefined>>,
): UnsharedLogin | undefined {
  const provider = agent?.provider
  if (!agent || provider === undefined || agent.startCommand || agent.confine === 'off') return undefined
  if (agentProfile(agent, config).shareLogin !== undefined) return undefined
  const env = Object.fromEntries(Object.entries(variables).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  const place = { env, home: env.HOME ?? homedir() }
  const builtin = builtinOf(agent, config.providers)
  const login = loginFile(builtin, place)
  // Keys that a program stored are gc's to use for it.
  return login && Object.keys(storedKeys(builtin, place)).length === 0 ? { provider, file: login.to } : undefined
}
