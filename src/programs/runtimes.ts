import { PROGRAMS } from './list.ts'
import type { ProgramRuntime } from './program.ts'

const loaded = await Promise.all(PROGRAMS.map(async ({ name, runtime }) => [name, await runtime?.()] as const))

/** Runtimes by the names of their presets. */
const RUNTIMES: ReadonlyMap<string, ProgramRuntime> = new Map(
  loaded.flatMap(([name, runtime]) => (runtime ? [[name, runtime]] : [])),
)

/** The runtimes of all programs, in the order of the list. */
export const runtimes = (): readonly ProgramRuntime[] => [...RUNTIMES.values()]

const NOTHING: ProgramRuntime = {}

/** The runtime of a program by the name of its preset; empty for an unknown one. */
export const runtimeOf = (preset: string | undefined): ProgramRuntime => RUNTIMES.get(preset ?? '') ?? NOTHING
