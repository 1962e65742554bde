import type { Deadlines } from '../../core/deadlines.ts'
import type { TerminalProfile } from './profile.ts'
import { findQuestion, type ScreenQuestion } from './question.ts'
import type { TerminalScreen } from './terminal-host.ts'

/** A terminal that can be given room for a moment, so that its program shows what it cuts or wraps. */
export interface RoomyTerminal {
  screen(): Promise<TerminalScreen>
  press(keys: string): void
  onOutput(key: string, listener: () => void): () => void
  /** How many sizes of room there are. */
  readonly rooms: number
  /** Does something while the terminal has so much room; afterwards it has its size again, and is drawn anew. */
  withRoom<T>(room: number, work: () => Promise<T>): Promise<T>
}

/** A row that comes so close to the right edge may go on in the next. */
const WRAP_MARGIN = 24
/** Below so many columns everything is wrapped. */
const NARROW = 80
/** Without output for so long, a program has drawn what it draws; one that draws its screen anew takes longer. */
const QUIET_MS = 300
/** How long a program may take to draw itself in another size. */
const DRAWN_MS = 3_000

/** Whether the program shows only a part of what it asks, or breaks its lines. */
export function needsRoom({ cut, text, options }: ScreenQuestion, cols: number, { clips }: TerminalProfile): boolean {
  const rows = [...text.split('\n'), ...options.map(({ label }) => label)]
  const longest = Math.max(...rows.map((row) => row.length))
  return cut || cols < NARROW || longest >= cols - WRAP_MARGIN || (clips !== undefined && rows.length >= clips)
}

/** How a question reads with room, each reading more complete than the one before, and afterwards. */
export interface RoomReadings {
  whole: ScreenQuestion[]
  settled: ScreenQuestion | undefined
}

/** Reads the question as the program shows it when there is room. */
export async function readWithRoom(
  seen: ScreenQuestion,
  terminal: RoomyTerminal,
  profile: TerminalProfile,
  deadlines: Deadlines,
): Promise<RoomReadings> {
  const reader = new RoomReader(seen, terminal, profile, deadlines)
  const readings: ScreenQuestion[] = []
  for (let room = 0; room < terminal.rooms; room++) {
    readings.push(...(await terminal.withRoom(room, () => reader.read())))
    if (readings.at(-1)?.cut === false) break
  }
  await reader.drawn(() => true)
  const settled = await reader.question()
  return { whole: readings.length > 0 ? readings : [{ ...seen, cut: true }], settled }
}

class RoomReader {
  readonly #quiet: number

  constructor(
    private readonly seen: ScreenQuestion,
    private readonly terminal: RoomyTerminal,
    private readonly profile: TerminalProfile,
    private readonly deadlines: Deadlines,
  ) {
    this.#quiet = QUIET_MS + (profile.redraws ?? 0)
  }

  /** The question in the size that the terminal has now, and with what its keys add to that. */
  async read(): Promise<ScreenQuestion[]> {
    const widest = Math.max(...this.seen.picture.map((row) => row.length))
    await this.drawn(({ lines }) => lines.some((line) => line.length > widest))
    const question = await this.question()
    const { expand, clips = Number.POSITIVE_INFINITY } = this.profile
    if (!question) return []
    if (expand === undefined || (!question.cut && question.text.split('\n').length < clips)) return [question]
    await this.#press(expand)
    const expanded = await this.question()
    await this.#press(expand)
    const isMore = expanded !== undefined && expanded.text.length > question.text.length
    return isMore ? [question, expanded] : [{ ...question, cut: true }]
  }

  /** Resolves when the program has drawn what fits and falls quiet, or in any case after a while. */
  async drawn(fits: (screen: TerminalScreen) => boolean): Promise<void> {
    const { terminal, deadlines } = this
    const end = Promise.withResolvers<void>()
    const check = async () => {
      if (fits(await terminal.screen())) end.resolve()
    }
    let quiet = deadlines.after(this.#quiet, check)
    const again = () => {
      quiet.cancel()
      quiet = deadlines.after(this.#quiet, check)
    }
    const stop = terminal.onOutput('', again)
    const latest = deadlines.after(DRAWN_MS, () => end.resolve())
    await end.promise
    for (const timer of [latest, quiet]) timer.cancel()
    stop()
  }

  async #press(keys: string): Promise<void> {
    this.terminal.press(keys)
    await this.drawn(() => true)
  }

  /** The question on the screen now, if it is one of that kind. */
  async question(): Promise<ScreenQuestion | undefined> {
    const question = findQuestion(await this.terminal.screen(), this.profile)
    return question?.kind === this.seen.kind ? question : undefined
  }
}
