import type { ChoiceResult } from '../protocol/question.ts'
import { findTypedRow } from './input.ts'
import { withInputLock } from './input-lock.ts'
import type { TerminalProfile } from './profile.ts'
import { findQuestion, type ScreenQuestion } from './question.ts'
import { ProgramEnded, ScreenWatcher } from './screen-watcher.ts'
import type { TerminalHost, TerminalScreen } from './terminal-host.ts'
import { toKeys, toPlainText } from './typed-text.ts'
import { type SettleOptions, STEADY_MS, type TerminalProgram } from './wait-for-state.ts'

/** An option of a question, counted from 0, and how that question is recognised. */
export interface Choice {
  isAsked(question: ScreenQuestion): boolean
  option: number
  /** Typed into the dialog, where the option takes a text. */
  text?: string | undefined
}

/** The keys that move a mark back and on. */
const LIST_KEYS = ['\x1b[A', '\x1b[B'] as const
const ROW_KEYS = ['\x1b[D', '\x1b[C'] as const
/** How long the program may take for each step of its mark, and for letting go of the question. */
const WITHIN = 10_000
/** How long a program may take to open what a text is typed into. */
const KEYS_TAKEN_MS = 500

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
      return (await choosing.move()) ?? (await choosing.take())
    } finally {
      watch.close()
    }
  })
}

class OptionChooser {
  #isRow = false
  /** The words of the option before anything is typed there. */
  #label = ''
  /** The keys of the option, where it has keys of its own. */
  #keys: string | undefined

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
      if (at === 'keys') return undefined
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

  /** Takes the option that the mark stands at, with the text where there is one. */
  async take(): Promise<ChoiceResult> {
    const { text = '' } = this.choice
    const typed = toPlainText(text).replace(/\s*\n\s*/g, ' ')
    return typed === '' ? this.#confirm() : this.#type(typed)
  }

  async #type(text: string): Promise<ChoiceResult> {
    const { profile, host, key } = this
    const keys = profile.texts?.find(({ label }) => label.test(this.#label))?.keys
    if (keys) await this.#press(keys)
    if (keys) await this.#pause(KEYS_TAKEN_MS)
    const { bracketedPaste } = await host.screen(key)
    await host.write(key, toKeys(text, bracketedPaste))
    const row = await this.#settled((screen, settled) => (settled ? findTypedRow(screen, text) : undefined))
    if (row === undefined) return 'stuck'
    if (profile.pasteGuard) await this.#pause(profile.pasteGuard)
    await this.#press(profile.submit)
    const isTaken = (screen: TerminalScreen, settled: boolean) =>
      settled && findTypedRow(screen, text) !== row ? true : undefined
    return (await this.#settled(isTaken).catch(whenEnded(true))) ? 'taken' : 'stuck'
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.options.deadlines.after(ms, resolve))
  }

  async #confirm(): Promise<ChoiceResult> {
    await this.#press(this.#keys ?? this.profile.submit)
    return (await this.#seen((question) => (question ? undefined : 'taken'), 'taken')) ?? 'stuck'
  }

  /** Where the mark stands once that fits, where options have one; undefined when it never does. */
  #mark(fits: (at: number) => boolean): Promise<number | 'gone' | 'keys' | undefined> {
    return this.#seen<number | 'gone' | 'keys'>((question) => {
      if (!question) return 'gone'
      const { at, isRow, keys, options } = question
      this.#isRow = isRow
      this.#label = options[this.choice.option]?.label ?? ''
      this.#keys = keys?.[this.choice.option]
      if (this.#keys !== undefined) return 'keys'
      return at !== undefined && fits(at) ? at : undefined
    }, 'gone')
  }

  /** What is made of the question, in time. On a screen that is just being drawn a question may be missing. */
  #seen<T>(decide: (question: ScreenQuestion | undefined, settled: boolean) => T | undefined, ended: T) {
    return this.#settled((screen, settled, steady) => {
      const question = findQuestion(screen, this.profile)
      const same = question !== undefined && this.choice.isAsked(question)
      if (same) return decide(question, settled)
      const isGone = steady || (settled && this.profile.redraws === undefined)
      return isGone ? decide(undefined, true) : undefined
    }).catch(whenEnded(ended))
  }

  /** What is made of the screen, in time; it is settled when it is quiet, or was looked at for a while. */
  async #settled<T>(decide: (screen: TerminalScreen, settled: boolean, steady: boolean) => T | undefined) {
    let steady = false
    const timer = this.options.deadlines.after(STEADY_MS, () => {
      steady = true
      this.watch.check()
    })
    try {
      return await this.watch.until(this.options.within ?? WITHIN, ({ screen, quiet }) =>
        decide(screen, quiet || steady, steady),
      )
    } finally {
      timer.cancel()
    }
  }

  #press(keys: string): Promise<unknown> {
    return this.host.write(this.key, new TextEncoder().encode(keys))
  }
}

/** What holds once a program has ended; other errors go on. */
const whenEnded =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof ProgramEnded) return value
    throw error
  }
