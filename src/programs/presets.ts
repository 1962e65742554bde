import { PROGRAMS } from './list.ts'
import type { ProgramPreset, ProviderPreset } from './program.ts'

/** The presets of the agent programs that gc knows, by name, in the order in which they are listed. */
export const PRESETS: ReadonlyMap<string, ProgramPreset> = new Map(
  await Promise.all(PROGRAMS.map(async ({ name, preset }) => [name, await preset()] as const)),
)

/** The providers of the presets, by name. */
export const BUILTINS: ReadonlyMap<string, ProviderPreset> = new Map(
  [...PRESETS].map(([name, { provider }]) => [name, provider]),
)
