import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { terminalProfileOf } from '../../../src/agents/launch/terminal-profiles.ts'
import { resolveProvider } from '../../../src/config/providers/resolve.ts'
import { type Standing, standingOf } from '../../../src/host/terminal/program-state.ts'
import { drawnScreen } from '../screens/drawn-screen.ts'

/** Where a program truly stands. */
export type TrueState = Standing | 'done' | 'failed'

/** The screen of a real program after a transition, with the state that its script knows to be true. */
export interface Transition {
  name: string
  /** The state before; absent at the start. */
  from?: TrueState
  state: TrueState
  cols: number
  rows: number
  /** What draws the screen on an empty terminal. */
  drawing: string
  /** How the program ended. */
  exit?: { code?: number; signal?: string }
}

export interface Recording {
  program: string
  version: string
  transitions: Transition[]
}

/** A transition as gc judges it. */
export interface Judgement {
  name: string
  expected: TrueState
  seen: TrueState
}

const FOLDER = join(import.meta.dir, 'recorded')

/** The recordings of one version of a program, or of all of them. */
export const recordings = (): Recording[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json.zst'))
    .sort()
    .map((file) => JSON.parse(Bun.zstdDecompressSync(readFileSync(join(FOLDER, file))).toString()))

export function keep(recording: Recording): void {
  if (!existsSync(FOLDER)) throw new Error(`${FOLDER} is missing`)
  const file = join(FOLDER, `${recording.program}-${recording.version}.json.zst`)
  writeFileSync(file, Bun.zstdCompressSync(Buffer.from(JSON.stringify(recording)), { level: 19 }))
}

/** The states in which gc sees a program after its transitions. */
export async function judge({
  program,
  transitions,
}: Pick<Recording, 'program' | 'transitions'>): Promise<Judgement[]> {
  const profile = terminalProfileOf(resolveProvider(program, new Map()))
  const judged: Judgement[] = []
  for (const { name, state, cols, rows, drawing, exit } of transitions) {
    const screen = await drawnScreen(Buffer.from(drawing), cols, rows)
    const seen = exit ? (exit.code === 0 ? 'done' : 'failed') : standingOf(screen, profile)
    judged.push({ name, expected: state, seen })
  }
  return judged
}

/** Whether gc would leave a person unasked. */
export const isMissed = ({ expected, seen }: Judgement): boolean => expected === 'person' && seen !== 'person'

export const isWrong = ({ expected, seen }: Judgement): boolean => expected !== seen
