import { PROGRAMS } from './list.ts'
import type { ProgramConfinement } from './program.ts'

const CONFINEMENTS: ReadonlyMap<string, ProgramConfinement | undefined> = new Map(
  await Promise.all(PROGRAMS.map(async ({ name, confinement }) => [name, await confinement?.()] as const)),
)

const NOTHING: ProgramConfinement = {}

/** The confinement of a program by the name of its preset; empty for an unknown one. */
export const confinedProgram = (preset: string | undefined): ProgramConfinement =>
  CONFINEMENTS.get(preset ?? '') ?? NOTHING
