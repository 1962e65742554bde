import type { AgentConfig, CityConfig } from '../../config/city-config.ts'
import { type ConfinementPlace, obstacleToConfinement } from '../confinement/confinement.ts'

/**
 * Why an agent cannot be started whatever it runs: the city's files are broken, its pack is wrong, its rig lies nowhere
 * on this machine, or it cannot be confined as it asks.
 */
export function unusable(
  agent: AgentConfig,
  { rigs, held }: Pick<CityConfig, 'rigs' | 'held'>,
  place: Pick<ConfinementPlace, 'tokenRequirement'>,
): string | undefined {
  const { broken, dir } = agent
  if (held !== undefined) return held
  if (broken !== undefined) return broken
  const rig = rigs.find(({ name }) => name === dir)
  if (!rig || rig.path !== undefined) return obstacleToConfinement(agent, place)
  return `rig ${rig.name} is bound to no folder; \`gc rig add <folder> --name ${rig.name}\` says where it is`
}
