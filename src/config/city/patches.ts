import {
  AGENT_PATCH,
  type AgentPatchFields,
  NAMED_SESSION_PATCH,
  type NamedSessionPatchFields,
} from '../agents/index.ts'
import { blocksOf, type Declaration, type SectionReader } from '../declare/index.ts'
import { PROVIDER_PATCH, type ProviderPatchFields } from '../providers/index.ts'
import { RIG_PATCH, type RigPatchFields } from '../rigs/index.ts'
import { MONITOR_PATCH, type MonitorPatchFields } from '../settings/index.ts'

/** `[patches]`, each kind in the order in which it is applied. */
export interface PatchDeclarations {
  readonly agents: readonly Declaration<AgentPatchFields>[]
  readonly namedSessions: readonly Declaration<NamedSessionPatchFields>[]
  readonly rigs: readonly Declaration<RigPatchFields>[]
  readonly providers: readonly Declaration<ProviderPatchFields>[]
  readonly monitors: readonly Declaration<MonitorPatchFields>[]
}

export const NO_PATCHES: PatchDeclarations = { agents: [], namedSessions: [], rigs: [], providers: [], monitors: [] }

/** Patches that are applied one after the other. */
export const joinPatches = (first: PatchDeclarations, then: PatchDeclarations): PatchDeclarations => ({
  agents: [...first.agents, ...then.agents],
  namedSessions: [...first.namedSessions, ...then.namedSessions],
  rigs: [...first.rigs, ...then.rigs],
  providers: [...first.providers, ...then.providers],
  monitors: [...first.monitors, ...then.monitors],
})

/** Entries of `[patches]` for agents and named sessions. */
export function agentPatchesOf(reader: SectionReader): PatchDeclarations {
  const patches = reader.child('patches')
  return {
    agents: blocksOf(patches, 'agent', AGENT_PATCH, 'agent'),
    namedSessions: blocksOf(patches, 'named_session', NAMED_SESSION_PATCH, 'named_session'),
    ...{ rigs: [], providers: [], monitors: [] },
  }
}

/** Everything that `[patches]` of a city says. */
export function cityPatchesOf(reader: SectionReader): PatchDeclarations {
  const patches = reader.child('patches')
  return {
    ...agentPatchesOf(reader),
    rigs: blocksOf(patches, 'rigs', RIG_PATCH, 'rigs'),
    providers: blocksOf(patches, 'providers', PROVIDER_PATCH, 'providers'),
    monitors: blocksOf(patches, 'github_pr_monitor', MONITOR_PATCH, 'github.pr_monitor'),
  }
}
