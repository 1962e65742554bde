import type { ChoiceResult } from '../protocol/question.ts'
import { withInputLock } from './input-lock.ts'
import type { TerminalProfile } from './profile.ts'
import { findQuestion, type ScreenQuestion } from './question.ts'
import { ProgramEnded, ScreenWatcher } from './screen-watcher.ts'
import type { TerminalHost } from './terminal-host.ts'
import { type SettleOptions, STEADY_MS, type TerminalProgram } from './wait-for-state.ts'

/** An option of a question, counted from 0, and how that question is recognised. */
export interface Choice {
  isAsked(question: ScreenQuestion): boolean
  option: number
}

/** The keys that move a mark back and on. */
const LIST_KEYS = ['\x1b[A', '\x1b[B'] as const
const ROW_KEYS = ['\x1b[D', '\x1b[C'] as const
/** How long the program may take for each step of its mark, and for letting go of the question. */
const WITHIN = 10_000

/** Moves a dialog's mark to an option, seen step by step, and confirms it there; presses nothing in another dialog. */
export function chooseOption(
  host: TerminalHost,
  key: string,
  { profile }: TerminalProgram,
  choice: Choice,
  options: SettleOptions,
): Promise<ChoiceResult> {
  return withInputLock(host, key, async () => {
    const watch = new ScreenWatcher(host, key, options.deadlines, options.signal)
    const choosing = new OptionChooser(host, key, profile, watch, choice, options)
    try {
      return (await choosing.move()) ?? (await choosing.confirm())
    } finally {
      watch.close()
    }
  })
}

class OptionChooser {
  #isRow = false

  constructor(
    private readonly host: TerminalHost,
    private readonly key: string,
    private readonly profile: TerminalProfile,
    private readonly watch: ScreenWatcher,
    private readonly choice: Choice,
    private readonly options: SettleOptions,
  ) {}

  /** Brings the mark to the option; says why when that cannot be done. */
  async move(): Promise<'gone' | 'stuck' | undefined> {
    const { option } = this.choice
    let at = await this.#mark(() => true)
    for (let steps = 0; at !== option; steps++) {
      if (at === 'gone') return at
      if (at === undefined || steps > option + at) return 'stuck'
      const before = at
      const [back, on] = this.#isRow ? ROW_KEYS : LIST_KEYS
      await this.#press(before < option ? on : back)
      at = await this.#mark((now) => now !== before)
    }
    return this.#stands()
  }

  /** A program that draws itself anew may put its mark back: it has to stand at the option once the program is quiet. */
  async #stands(): Promise<'gone' | 'stuck' | undefined> {
    const stands = await this.#seen<'yes' | 'no' | 'gone'>((question, settled) => {
      if (!question) return 'gone'
      if (!settled) return undefined
      return question.at === this.choice.option ? 'yes' : 'no'
    }, 'gone')
    if (stands === 'gone') return stands
    return stands === 'yes' ? undefined : 'stuck'
  }

  async confirm(): Promise<ChoiceResult> {
    await this.#press(this.profile.submit)
    return (await this.#seen((question) => (question ? undefined : 'taken'), 'taken')) ?? 'stuck'
  }

  /** Where the mark stands once that fits; undefined when it never does. */
  #mark(fits: (at: number) => boolean): Promise<number | 'gone' | undefined> {
    return this.#seen<number | 'gone'>((question) => {
      if (!question) return 'gone'
      const { at } = question
      this.#isRow = question.isRow
      return at !== undefined && fits(at) ? at : undefined
    }, 'gone')
  }

  /** What is made of the question, in time. On a screen that is just being drawn a question may be missing. */
  async #seen<T>(
    decide: (question: ScreenQuestion | undefined, settled: boolean) => T | undefined,
    ended: T,
  ): Promise<T | undefined> {
    let steady = false
    const timer = this.options.deadlines.after(STEADY_MS, () => {
      steady = true
      this.watch.check()
    })
    try {
      return await this.watch.until(this.options.within ?? WITHIN, ({ screen, quiet }) => {
        const question = findQuestion(screen, this.profile)
        const same = question !== undefined && this.choice.isAsked(question)
        if (same) return decide(question, quiet || steady)
        const isGone = steady || (quiet && this.profile.redraws === undefined)
        return isGone ? decide(undefined, true) : undefined
      })
    } catch (error) {
      if (error instanceof ProgramEnded) return ended
      throw error
    } finally {
      timer.cancel()
    }
  }

  #press(keys: string): Promise<unknown> {
    return this.host.write(this.key, new TextEncoder().encode(keys))
  }
}
