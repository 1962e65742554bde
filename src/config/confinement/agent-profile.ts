import { AppError } from '../../core/errors.ts'
import type { AgentConfig } from '../agents/index.ts'
import { type DeclaredProviders, type Provider, resolveProvider } from '../providers/index.ts'
import type { RigConfig } from '../rigs/index.ts'
import { type Profile, profileOf } from './profile.ts'

type Profiled = Pick<AgentConfig, 'confine' | 'confineTable' | 'dir' | 'provider' | 'startCommand'>

/** The profile of an agent, with what its rig and the provider that it runs allow. */
export function agentProfile(
  agent: Profiled,
  { rigs, providers }: { rigs: readonly RigConfig[]; providers: DeclaredProviders },
): Profile {
  return profileOf({
    agent: agent.confineTable,
    inForce: agent.confine,
    rig: rigs.find(({ name }) => name === agent.dir)?.confine,
    provider: agent.startCommand ? undefined : providerOf(agent, providers)?.confine,
  })
}

/** The built-in provider that the provider of an agent is made from, or is. */
export function builtinOf(agent: Pick<AgentConfig, 'provider'>, providers: DeclaredProviders): string | undefined {
  const provider = providerOf(agent, providers)
  return provider?.ancestor ?? provider?.name
}

/** A provider that cannot be resolved allows nothing; that it cannot is said elsewhere. */
function providerOf({ provider }: Pick<AgentConfig, 'provider'>, providers: DeclaredProviders): Provider | undefined {
  if (provider === undefined) return undefined
  try {
    return resolveProvider(provider, providers)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
