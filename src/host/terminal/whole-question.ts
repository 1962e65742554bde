import type { Deadlines } from '../../core/deadlines.ts'
import type { TerminalProfile } from '../../programs/terminal-profile.ts'
import { findQuestion, isPartOf, isSameQuestion, type ScreenQuestion } from './question.ts'
import type { TerminalScreen } from './terminal-host.ts'

/** A terminal that can be given room for a moment, so that its program shows what it cuts or wraps. */
export interface RoomyTerminal {
  screen(): Promise<TerminalScreen>
  press(keys: string): void
  onOutput(key: string, listener: () => void): () => void
  /** Does something while the terminal has another size; afterwards it has its own again, and is drawn again. */
  withRoom<T>(room: TerminalSize, work: () => Promise<T>): Promise<T>
}

export interface TerminalSize {
  cols: number
  rows: number
}

/** First so wide that hardly a line is broken, then so high that hardly a text is cut. */
const ROOMS: readonly TerminalSize[] = [
  { cols: 1000, rows: 300 },
  { cols: 240, rows: 2000 },
]

/** The sizes in which a question of this program is read whole, one after the other. */
export const roomsOf = ({ widest = Number.POSITIVE_INFINITY }: TerminalProfile): TerminalSize[] =>
  ROOMS.map(({ cols, rows }) => ({ cols: Math.min(cols, widest), rows }))

/** A row that comes so close to the right edge may continue in the next. */
const WRAP_MARGIN = 24
/** Below so many columns everything is wrapped. */
const NARROW = 80
/** Without output for so long, a program has drawn what it draws; one that draws its screen again takes longer. */
const QUIET_MS = 300
/** Maximum time a program may take to draw itself in another size. */
const DRAWN_MS = 6_000
/** Maximum rows of a frame around a text that fills the screen. */
const FRAME_ROWS = 12

/** True if the program shows only a part of what it asks, or breaks its lines. */
export function needsRoom(question: ScreenQuestion, cols: number, profile: TerminalProfile): boolean {
  const { cut, text, options } = question
  const rows = [...text.split('\n'), ...options.map(({ label }) => label)]
  const longest = Math.max(...rows.map((row) => row.length))
  const fits = cols >= NARROW && cols <= (profile.widest ?? cols) && longest < cols - WRAP_MARGIN
  return cut || !fits || mayBeClipped(question, profile)
}

/** True if the text is as long as what the program shows of a longer one. */
const mayBeClipped = (question: ScreenQuestion, profile: TerminalProfile): boolean =>
  profile.clips !== undefined &&
  question.text.split('\n').length >= profile.clips &&
  expandKeys(question, profile) !== undefined

/** The keys that show more of this question, where some do. */
const expandKeys = ({ picture }: ScreenQuestion, { expand, expands }: TerminalProfile): string | undefined =>
  expands === undefined || expands.test(picture.join('\n')) ? expand : undefined

/** Readings of a question with room, each more complete than the last, and afterwards. */
export interface RoomReadings {
  whole: ScreenQuestion[]
  settled: ScreenQuestion | undefined
  /** The program did not draw itself with room in time: later it may show more. */
  isLate: boolean
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
  for (const room of roomsOf(profile)) {
    const { picture } = readings.at(-1) ?? seen
    readings.push(...(await terminal.withRoom(room, () => reader.read(room, picture))))
    if (readings.at(-1)?.cut === false) break
  }
  const isBack = (now: ScreenQuestion) =>
    [seen, ...readings].some((each) => isSameQuestion(each, now) || isPartOf(now, each))
  await reader.drawn((screen) => {
    const now = reader.readQuestion(screen)
    return now !== undefined && isBack(now)
  })
  const settled = await reader.question()
  const last = readings.at(-1)
  return {
    whole: last ? readings : [{ ...seen, cut: true }],
    settled,
    isLate: !last || (last.cut && reader.isLate),
  }
}

/** Resolves when the program has drawn what fits and falls quiet, or in any case after a while; says whether it has. */
export async function whenDrawn(
  terminal: RoomyTerminal,
  { redraws = 0 }: TerminalProfile,
  deadlines: Deadlines,
  fits: (screen: TerminalScreen) => boolean,
): Promise<boolean> {
  const quietMs = QUIET_MS + redraws
  const end = Promise.withResolvers<boolean>()
  const check = async () => {
    if (fits(await terminal.screen())) end.resolve(true)
  }
  let quiet = deadlines.after(quietMs, check)
  const again = () => {
    quiet.cancel()
    quiet = deadlines.after(quietMs, check)
  }
  const stop = terminal.onOutput('', again)
  const latest = deadlines.after(DRAWN_MS, () => end.resolve(false))
  const isDrawn = await end.promise
  for (const timer of [latest, quiet]) timer.cancel()
  stop()
  return isDrawn
}

class RoomReader {
  #isLate = false

  constructor(
    private readonly seen: ScreenQuestion,
    private readonly terminal: RoomyTerminal,
    private readonly profile: TerminalProfile,
    private readonly deadlines: Deadlines,
  ) {}

  /** True if the program did not draw in time what a larger size or a key should show. */
  get isLate(): boolean {
    return this.#isLate
  }

  /** The question in the size that the terminal has now instead of one with that picture, and with what its keys add to that. */
  async read({ rows }: TerminalSize, picture: readonly string[]): Promise<ScreenQuestion[]> {
    const widest = Math.max(...picture.map((row) => row.length))
    const isDrawn = await this.drawn((screen) => {
      const { lines } = screen
      const height = lines.findLastIndex((line) => line.trim()) + 1
      const isLarger = height > picture.length || lines.some((line) => line.length > widest)
      return isLarger && !this.readQuestion(screen)?.isDrawing
    })
    this.#isLate ||= !isDrawn
    const question = await this.question()
    if (!question) return []
    const expand = expandKeys(question, this.profile)
    if (expand === undefined || (!question.cut && !mayBeClipped(question, this.profile))) return [question]
    const isExpanded = (screen: TerminalScreen) => this.#isExpanded(screen, question)
    const screen = await this.#press(expand, isExpanded)
    await this.#press(expand, (now) => !isExpanded(now))
    const expanded = this.readQuestion(screen)
    if (!expanded || !isExpanded(screen)) {
      this.#isLate = true
      return [{ ...question, cut: true }]
    }
    const isFull = expanded.text.split('\n').length > rows - FRAME_ROWS
    return [question, { ...expanded, cut: expanded.cut || isFull }]
  }

  drawn(fits: (screen: TerminalScreen) => boolean): Promise<boolean> {
    return whenDrawn(this.terminal, this.profile, this.deadlines, fits)
  }

  /** The screen once the keys had their effect. */
  async #press(keys: string, fits: (screen: TerminalScreen) => boolean): Promise<TerminalScreen> {
    this.terminal.press(keys)
    await this.drawn(fits)
    return this.terminal.screen()
  }

  #isExpanded(screen: TerminalScreen, { text, options }: ScreenQuestion): boolean {
    const { expanded } = this.profile
    if (expanded) return expanded.test(screen.lines.join('\n').trimEnd())
    const now = this.readQuestion(screen)
    return now !== undefined && (now.text.length > text.length || now.options.length > options.length)
  }

  /** The question on the screen now, if it is one of that kind. */
  async question(): Promise<ScreenQuestion | undefined> {
    return this.readQuestion(await this.terminal.screen())
  }

  readQuestion(screen: TerminalScreen): ScreenQuestion | undefined {
    const question = findQuestion(screen, this.profile)
    return question?.kind === this.seen.kind ? question : undefined
  }
}
