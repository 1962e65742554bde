import type { AgentConfig, CityConfig } from '../../config/city-config.ts'

/**
 * Why an agent cannot be started whatever it runs: the city's files are broken, its pack is wrong, or its rig lies
 * nowhere on this machine.
 */
export function unusable(
  { broken, dir }: AgentConfig,
  { rigs, held }: Pick<CityConfig, 'rigs' | 'held'>,
): string | undefined {
  if (held !== undefined) return held
  if (broken !== undefined) return broken
  const rig = rigs.find(({ name }) => name === dir)
  if (!rig || rig.path !== undefined) return undefined
  return `rig ${rig.name} is bound to no folder; \`gc rig add <folder> --name ${rig.name}\` says where it is`
}
