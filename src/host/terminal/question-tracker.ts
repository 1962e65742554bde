import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { TerminalProfile } from '../../programs/terminal-profile.ts'
import { type ChoiceOutcome, type Question, type QuestionOption, splitOptions } from '../protocol/index.ts'
import { chooseOption } from './choose.ts'
import { hasFields, readFields } from './form-fields.ts'
import { findQuestion, isPartOf, isSameQuestion, type ScreenQuestion, toQuestion } from './question.ts'
import type { TerminalHost, TerminalScreen } from './terminal-host.ts'
import { needsRoom, type RoomyTerminal, readWithRoom, roomsOf, whenDrawn } from './whole-question.ts'

interface QuestionTrackerOptions {
  clock: Clock
  deadlines: Deadlines
  key: string
  /** Names the run of the program; its questions are numbered within it. */
  run: string
  profile: TerminalProfile
  host: TerminalHost
  terminal: RoomyTerminal
  /** A question came up, became another, or is gone. */
  onChange(question: Question | undefined): void
  report(sentence: string): void
}

interface OpenQuestion {
  question: Question
  /** Readings: of the terminal unchanged, and with room. */
  readings: ScreenQuestion[]
  /** Not all of its options are shown in the terminal unchanged. */
  needsRoom: boolean
  /** Number of readings while its program did not draw all of it in time. */
  lateReadings: number
  /** It should be read again. */
  isDue: boolean
}

/** Interval of checks on the screen of a program that writes. */
const CHECK_MS = 250
/** Time a question stands before it counts, and is missing before it is gone. */
const STEADY_MS = 300
/** Maximum time that a program may keep drawing after it announces it. */
const DRAWS_MS = 10_000
/** Time a question that its program drew too late is left before it is read again, doubled each time. */
const AGAIN_MS = 2_000
/** Maximum readings of such a question. */
const MAX_READINGS = 6
/** Number of answers that are remembered. */
const MAX_ANSWERS = 100

/** Finds the questions on the screen of one program, and answers each of them once. */
export class QuestionTracker {
  readonly #answers = new Map<string, { option: string; outcome: Promise<ChoiceOutcome> }>()
  #open: OpenQuestion | undefined
  #candidate: { id: string; at: number; since: number } | undefined
  #missingSince: number | undefined
  #timer: Deadline | undefined
  #again: Deadline | undefined
  #work: Promise<unknown> | undefined
  #count = 0
  #closed = false

  constructor(private readonly options: QuestionTrackerOptions) {}

  /** The question that waits for a person now. */
  get question(): Question | undefined {
    return this.#open?.question
  }

  /** The program wrote something. */
  onOutput(): void {
    this.#schedule(CHECK_MS)
  }

  /** The program has ended. */
  close(): void {
    this.#closed = true
    this.#timer?.cancel()
    this.#set(undefined)
  }

  /** Takes an option of a question, or ticks several. Asked again for the same question it presses nothing, and gives the first outcome. */
  async answer(question: string, option: string, text?: string): Promise<ChoiceOutcome> {
    const given = this.#answers.get(question)
    if (given) return given.outcome
    if (this.#open?.question.id !== question) return { result: 'gone' }
    const open = this.#open
    const taken = splitOptions(option)
    if (!taken.every((id) => open.question.options.some((each) => each.id === id))) return { result: 'stuck' }
    const outcome = this.#exclusively(() => this.#choose(open, taken, text)).then((result) => ({ result, option }))
    this.#answers.set(question, { option, outcome })
    for (const old of [...this.#answers.keys()].slice(0, -MAX_ANSWERS)) this.#answers.delete(old)
    const forget = () => this.#answers.delete(question)
    outcome.then(({ result }) => result !== 'taken' && forget(), forget)
    return outcome
  }

  async #choose(open: OpenQuestion, taken: readonly string[], text: string | undefined) {
    const { host, key, profile, deadlines, terminal } = this.options
    const isAsked = (seen: ScreenQuestion) => asksThis(open, seen)
    const choice = { isAsked, options: open.question.options, taken, text }
    const choose = () => chooseOption(host, key, { profile }, choice, { deadlines })
    const [room] = roomsOf(profile)
    const chooseOnceDrawn = async () => {
      const isShown = (screen: TerminalScreen) => {
        const seen = findQuestion(screen, profile)
        return seen !== undefined && isAsked(seen) && !(open.needsRoom && seen.isPart)
      }
      // A busy machine may let a program draw itself in another size late.
      if (!isShown(await terminal.screen())) await whenDrawn(terminal, profile, deadlines, isShown)
      return choose()
    }
    const result = await (open.needsRoom && room ? terminal.withRoom(room, chooseOnceDrawn) : chooseOnceDrawn())
    if (result === 'taken' && this.#open === open) this.#set(undefined)
    this.#candidate = undefined
    return result
  }

  /** One look or answer at a time; the screen is looked at again afterwards. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = (this.#work ?? Promise.resolve()).then(work, work)
    const turn = done
      .catch(() => {})
      .finally(() => {
        if (this.#work === turn) this.#work = undefined
        this.#schedule(CHECK_MS)
      })
    this.#work = turn
    return done
  }

  #schedule(ms: number): void {
    if (this.#timer || this.#work || this.#closed) return
    this.#timer = this.options.deadlines.after(ms, () => {
      this.#timer = undefined
      this.#check().catch((error) => this.options.report(`${this.options.key}: its screen cannot be read: ${error}`))
    })
  }

  async #check(): Promise<void> {
    const { clock, profile, terminal } = this.options
    const screen = await terminal.screen()
    if (this.#work || this.#closed) return
    const seen = findQuestion(screen, profile)
    if (!seen) return this.#missing()
    this.#missingSince = undefined
    const open = this.#open
    if (open && asksThis(open, seen)) {
      this.#candidate = undefined
      if (open.isDue) await this.#exclusively(() => this.#adopt(seen, screen.cols, open.question.since))
      return
    }
    const now = clock.monotonic()
    if (this.#candidate?.id !== seen.id) this.#candidate = { id: seen.id, at: now, since: clock.now() }
    const steady = Math.max(STEADY_MS, profile.drawsWithin ?? 0)
    if (now - this.#candidate.at < (seen.isDrawing ? DRAWS_MS : steady)) return this.#schedule(steady)
    const since = toTimestamp(this.#candidate.since)
    await this.#exclusively(() => this.#adopt(seen, screen.cols, since))
  }

  /** Programs that draw their screen again clear it first. */
  #missing(): void {
    this.#candidate = undefined
    if (!this.#open) return
    const now = this.options.clock.monotonic()
    const within = Math.max(STEADY_MS, this.options.profile.redraws ?? 0)
    this.#missingSince ??= now
    if (now - this.#missingSince < within) this.#schedule(within)
    else this.#set(undefined)
  }

  /** Reads a question with room where it needs some; makes it the open one unless that is the same, and no less whole. */
  async #adopt(seen: ScreenQuestion, cols: number, since: string): Promise<void> {
    const { profile, terminal, deadlines, run } = this.options
    const { whole, settled, isLate } = needsRoom(seen, cols, profile)
      ? await readWithRoom(seen, terminal, profile, deadlines)
      : { whole: [seen], settled: undefined, isLate: false }
    const readings = [seen, ...whole, ...(settled ? [settled] : [])]
    this.#candidate = undefined
    const open = this.#open
    const best = whole.at(-1) ?? seen
    const isSame = open !== undefined && whole.some(({ id }) => open.readings.some((reading) => reading.id === id))
    if (isSame && (best.cut || !open.question.cut)) {
      open.readings.push(...readings)
      this.#readLater(open, isLate)
      return
    }
    const options = hasFields(best) ? await this.#readFields(best) : best.options
    const question = toQuestion({ ...best, options, picture: seen.picture }, since)
    const id = `screen-${run.slice(0, 8)}-${++this.#count}`
    const opensLists = options.some(({ choices }) => choices !== undefined)
    const adopted: OpenQuestion = {
      question: { ...question, id },
      readings,
      needsRoom: opensLists || (!seen.isPart && best.options.length > seen.options.length),
      lateReadings: open?.isDue ? open.lateReadings : 0,
      isDue: false,
    }
    this.#set(adopted)
    this.#readLater(adopted, isLate)
  }

  /**
   * Has a question read again that its program did not draw in time, as on a busy machine; later each time, and not
   * indefinitely.
   */
  #readLater(open: OpenQuestion, isLate: boolean): void {
    open.isDue = false
    if (!isLate || ++open.lateReadings >= MAX_READINGS) return
    this.#again?.cancel()
    this.#again = this.options.deadlines.after(AGAIN_MS * 2 ** (open.lateReadings - 1), () => {
      open.isDue = true
      this.#schedule(0)
    })
  }

  /** Fields of a form, read while there is room for their lists. */
  async #readFields(form: ScreenQuestion): Promise<QuestionOption[]> {
    const { profile, terminal, deadlines } = this.options
    const [room] = roomsOf(profile)
    const isDrawn = (screen: TerminalScreen) => {
      const now = findQuestion(screen, profile)
      return now !== undefined && isSameQuestion(now, form)
    }
    const read = async () => {
      await whenDrawn(terminal, profile, deadlines, isDrawn)
      return readFields(form, this.options)
    }
    const options = await (room ? terminal.withRoom(room, read) : read())
    await whenDrawn(terminal, profile, deadlines, isDrawn)
    return options
  }

  #set(open: OpenQuestion | undefined): void {
    if (!open && !this.#open) return
    this.#open = open
    this.#again?.cancel()
    this.#missingSince = undefined
    this.options.onChange(open?.question)
  }
}

/** True if a screen shows this question, if only a part of it. */
const asksThis = ({ readings }: OpenQuestion, seen: ScreenQuestion): boolean =>
  readings.some((reading) => isSameQuestion(reading, seen) || (!reading.cut && isPartOf(seen, reading)))
