import { PROGRAMS } from './list.ts'
import type { ProgramRuntime } from './program.ts'

const loaded = await Promise.all(PROGRAMS.map(async ({ name, runtime }) => [name, await runtime?.()] as const))

/** What gc knows of running programs, by the names of their presets. */
const RUNTIMES: ReadonlyMap<string, ProgramRuntime> = new Map(
  loaded.flatMap(([name, runtime]) => (runtime ? [[name, runtime]] : [])),
)

/** All that gc knows of running programs. */
export const runtimes = (): readonly ProgramRuntime[] => [...RUNTIMES.values()]

const NOTHING: ProgramRuntime = {}

/** What gc knows of a running program, by the name of its preset; nothing of an unknown one. */
export const runtimeOf = (preset: string | undefined): ProgramRuntime => RUNTIMES.get(preset ?? '') ?? NOTHING
