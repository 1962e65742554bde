import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { terminalProfileOf } from '../../../src/agents/launch/terminal-profiles.ts'
import { resolveProvider } from '../../../src/config/providers/resolve.ts'
import { TerminalEmulator } from '../../../src/host/server/terminal-emulator.ts'
import { type Standing, standingOf } from '../../../src/host/terminal/program-state.ts'
import { findQuestion } from '../../../src/host/terminal/question.ts'
import type { QuestionKind } from '../../../src/programs/terminal-profile.ts'

/** The size of every recorded terminal. */
export const SIZE = { cols: 120, rows: 40 } as const

/** True state of a program. */
export type TrueState = Standing | 'done' | 'failed'

/** The screen of a real program after a transition, with the state that its script knows to be true. */
export interface Transition {
  name: string
  /** The state before; absent at the start. */
  from?: TrueState
  state: TrueState
  /** Subject of its dialog. */
  asks?: QuestionKind
  /** Sequence that draws the screen on an empty terminal. */
  drawing: string
  /** Exit of the program. */
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
  /** Its dialog was taken for another. */
  mistaken?: QuestionKind
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

/** Empties a terminal. */
const RESET = '\x1bc'

/** The states in which gc sees a program after its transitions. */
export async function judge({
  program,
  transitions,
}: Pick<Recording, 'program' | 'transitions'>): Promise<Judgement[]> {
  const profile = terminalProfileOf(resolveProvider(program, new Map()))
  const emulator = new TerminalEmulator(SIZE.cols, SIZE.rows, { answer() {}, title() {} })
  const judged: Judgement[] = []
  for (const { name, state, asks, drawing, exit } of transitions) {
    await new Promise<void>((drawn) => emulator.write(Buffer.from(RESET + drawing), drawn))
    const screen = { ...emulator.screen(undefined), colours: emulator.colours.bind(emulator) }
    const seen = exit ? (exit.code === 0 ? 'done' : 'failed') : standingOf(screen, profile)
    const kind = asks && findQuestion(screen, profile)?.kind
    judged.push({ name, expected: state, seen, ...(kind && kind !== asks && { mistaken: kind }) })
  }
  return judged
}

/** True if gc would leave a person unasked. */
export const isMissed = ({ expected, seen }: Judgement): boolean => expected === 'person' && seen !== 'person'

export const isWrong = ({ expected, seen, mistaken }: Judgement): boolean => expected !== seen || mistaken !== undefined
