import { withInputLock } from './input-lock.ts'
import type { TerminalProfile } from './profile.ts'
import { findQuestion, type ScreenQuestion } from './question.ts'
import { ProgramEnded, ScreenWatcher } from './screen-watcher.ts'
import type { TerminalHost } from './terminal-host.ts'
import { type SettleOptions, STEADY_MS, type TerminalProgram } from './wait-for-state.ts'

/** An option of a question, counted from 0. */
export interface Choice {
  question: string
  option: number
}

/**
 * What became of a choice. `taken`: the question was gone once the option was confirmed. `gone`: it was not shown any
 * more, and nothing was confirmed. `stuck`: the program did not do what the keys ask for; a person has to look.
 */
export type ChoiceResult = 'taken' | 'gone' | 'stuck'

const DOWN = '\x1b[B'
const UP = '\x1b[A'
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
      await this.#press(before < option ? DOWN : UP)
      at = await this.#mark((now) => now !== before)
    }
    return undefined
  }

  async confirm(): Promise<ChoiceResult> {
    await this.#press(this.profile.submit)
    return (await this.#seen((question) => (question ? undefined : 'taken'), 'taken')) ?? 'stuck'
  }

  /** Where the mark stands once that fits; undefined when it never does. */
  #mark(fits: (at: number) => boolean): Promise<number | 'gone' | undefined> {
    return this.#seen<number | 'gone'>((question) => {
      if (!question) return 'gone'
      const at = question.at
      return at !== undefined && fits(at) ? at : undefined
    }, 'gone')
  }

  /** What is made of the question, in time. On a screen that is just being drawn a question may be missing. */
  async #seen<T>(decide: (question: ScreenQuestion | undefined) => T | undefined, ended: T): Promise<T | undefined> {
    let steady = false
    const timer = this.options.deadlines.after(STEADY_MS, () => {
      steady = true
      this.watch.check()
    })
    try {
      return await this.watch.until(this.options.within ?? WITHIN, ({ screen, quiet }) => {
        const question = findQuestion(screen, this.profile)
        const same = question?.id === this.choice.question
        return same || quiet || steady ? decide(same ? question : undefined) : undefined
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
