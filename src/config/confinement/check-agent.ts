import { homedir } from 'node:os'
import type { AgentConfig } from '../agents/index.ts'
import type { Diagnostics } from '../files/index.ts'
import type { DeclaredProviders } from '../providers/index.ts'
import type { RigConfig } from '../rigs/index.ts'
import { agentProfile } from './agent-profile.ts'
import { describeWithheld, placesOf } from './judge.ts'

/** Reports what a profile allows against the promises of confinement, and what only the city can allow. */
export function checkConfinement(config: AgentConfig, { rigs, providers, path, diagnostics }: Scope): void {
  const profile = agentProfile(config, { rigs, providers })
  const around = { home: homedir(), city: path, rigs, rig: config.dir }
  for (const refused of placesOf(profile, around).refused) {
    const { file, line, value } = refused.grant
    const message = `"${value}" would void confinement: ${refused.reason}`
    diagnostics.error({ file, line, key: `confine ${refused.access}` }, message)
  }
  for (const withheld of profile.withheld) {
    const { file, line, key } = withheld
    diagnostics.warning({ file, line, key: `confine ${key}` }, describeWithheld(withheld, config.qualified))
  }
}

interface Scope {
  /** The city's folder. */
  readonly path: string
  readonly rigs: readonly RigConfig[]
  readonly providers: DeclaredProviders
  readonly diagnostics: Diagnostics
}
