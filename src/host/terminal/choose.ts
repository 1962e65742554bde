import type { Deadline } from '../../core/deadlines.ts'
import type { TerminalProfile } from '../../programs/terminal-profile.ts'
import type { ChoiceResult, QuestionOption } from '../protocol/index.ts'
import { findChoices } from '../protocol/index.ts'
import { type FormDriver, takeChoices } from './field-list.ts'
import { findTypedRow } from './input.ts'
import { withInputLock } from './input-lock.ts'
import { findQuestion, type ScreenQuestion } from './question.ts'
import { ProgramEnded, ScreenWatcher } from './screen-watcher.ts'
import type { TerminalHost, TerminalScreen } from './terminal-host.ts'
import { toKeys, toPlainText } from './typed-text.ts'
import { type SettleOptions, STEADY_MS, type TerminalProgram } from './wait-for-state.ts'

/** An answer to a question, and how that question is recognised. */
export interface Choice {
  isAsked(question: ScreenQuestion): boolean
  /** All options of the question, in the order of its list. */
  options: readonly QuestionOption[]
  /** The ids of those to take: one, or any number of boxes to tick. */
  taken: readonly string[]
  /** Typed into the dialog, where an option takes a text; a line for each where several do. */
  text?: string | undefined
}

/** The keys that move a mark back and on. */
const LIST_KEYS = ['\x1b[A', '\x1b[B'] as const
const ROW_KEYS = ['\x1b[D', '\x1b[C'] as const
/** Maximum time the program may take for each step of its mark, and for letting go of the question. */
const WITHIN = 20_000
/** A question that was missing for this long was let go of, not just drawn again. */
const GONE_MS = 50
/** Maximum time a program may take to open what a text is typed into. */
const KEYS_TAKEN_MS = 500
/** The option that sends what is ticked. */
const END = /^\D/

/** Moves a dialog's mark to each option, seen step by step, and takes it there; presses nothing in another dialog. */
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
      return await choosing.choose()
    } finally {
      watch.close()
    }
  })
}

class OptionChooser {
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

  async choose(): Promise<ChoiceResult> {
    const { options, taken, text = '' } = this.choice
    const [id = ''] = taken
    const boxes = options.filter(({ ticks }) => ticks)
    if (boxes.some((box) => box.id === id)) return this.#tickAll(boxes)
    return (await this.#move(id)) ?? this.#take(oneLine(text))
  }

  /** Has exactly these boxes ticked, and continues from there. */
  async #tickAll(boxes: readonly QuestionOption[]): Promise<ChoiceResult> {
    const { options, taken, text = '' } = this.choice
    const lines = toPlainText(text).split('\n')
    for (const box of boxes) {
      const isTaken = taken.includes(box.id)
      const failed = box.text && isTaken ? await this.#fill(box, lines.shift() ?? '') : await this.#tick(box, isTaken)
      if (failed) return failed
    }
    const wrong = await this.#seen((question, settled) => {
      if (!question) return 'gone'
      return settled ? (areTicked(question, taken, this.profile) ? 'none' : 'stuck') : undefined
    }, 'gone')
    if (wrong !== 'none') return wrong ?? 'stuck'
    const end = options.find(({ id }) => END.test(id))
    if (end) return (await this.#move(end.id)) ?? this.#confirm(this.profile.submit)
    return this.#confirm(this.profile.endBoxes ?? this.profile.submit)
  }

  /** Ticks a box, or takes its tick away. */
  async #tick({ id }: QuestionOption, isTaken: boolean): Promise<ChoiceResult | undefined> {
    const isAsItShould = ({ listed }: ScreenQuestion) => listed.find((each) => each.id === id)?.tick === isTaken
    const look = await this.#seen((question) => (question ? isAsItShould(question) : 'gone'), 'gone')
    if (look === true) return undefined
    const failed = await this.#move(id)
    if (failed) return failed
    const there = await this.#seen((question) => (question ? isAsItShould(question) : 'gone'), 'gone')
    if (there === true || there === 'gone') return there === true ? undefined : there
    await this.#press(this.profile.tick)
    const ticked = await this.#seen((question) => {
      if (!question) return 'gone'
      return isAsItShould(question) ? 'ticked' : undefined
    }, 'gone')
    return ticked === 'ticked' ? undefined : (ticked ?? 'stuck')
  }

  /** Brings the mark to the option; says why when that cannot be done. */
  async #move(id: string): Promise<'gone' | 'stuck' | undefined> {
    const { options } = this.choice
    const target = options.findIndex((option) => option.id === id)
    let at = await this.#mark(id, () => true)
    for (let steps = 0; at === 'keys' || at !== target; steps++) {
      if (at === 'gone') return at
      if (at === 'keys') return undefined
      if (at === undefined || steps > target + at) return 'stuck'
      const before = at
      const [back, on] = (await this.#areBeside(before, target)) ? ROW_KEYS : LIST_KEYS
      await this.#press(before < target ? on : back)
      at = await this.#mark(id, (now) => now !== before)
    }
    return this.#stands(id)
  }

  /** True if both options stand on one row. */
  async #areBeside(a: number, b: number): Promise<boolean | undefined> {
    const { options } = this.choice
    const [one, other] = [options[a]?.id, options[b]?.id]
    return this.#seen((question) => {
      const rowOf = (id: string | undefined) => question?.listed.find((option) => option.id === id)?.row
      return rowOf(one) !== undefined && rowOf(one) === rowOf(other)
    }, false)
  }

  /**
   * A program that draws itself again may put its mark back: it has to stand at the option once the program is quiet.
   */
  async #stands(id: string): Promise<'gone' | 'stuck' | undefined> {
    const stands = await this.#seen<'yes' | 'no' | 'gone'>((question, settled) => {
      if (!question) return 'gone'
      if (!settled) return undefined
      return markedId(question) === id ? 'yes' : 'no'
    }, 'gone')
    if (stands === 'gone') return stands
    return stands === 'yes' ? undefined : 'stuck'
  }

  /** Takes the option that the mark stands at, with the text where there is one. */
  async #take(text: string): Promise<ChoiceResult> {
    if (text === '') return this.#confirm(this.#keys ?? this.profile.submit)
    const row = await this.#type(this.choice.taken[0] ?? '', text)
    if (row === undefined) return 'stuck'
    await this.#press(this.profile.submit)
    return (await this.#isTypedAway(text, row).catch(whenEnded(true))) ? 'taken' : 'stuck'
  }

  /** Gives a box its text, which ticks it, or has what that names taken in its list. */
  async #fill(box: QuestionOption, text: string): Promise<ChoiceResult | undefined> {
    const { id } = box
    const failed = await this.#move(id)
    if (failed) return failed
    if (box.choices) return (await this.#takeListed(box, text)) ? undefined : 'stuck'
    const row = await this.#type(id, oneLine(text))
    if (row === undefined) return 'stuck'
    if (this.#textKeys(id) === undefined) return undefined
    await this.#press(this.profile.submit)
    return (await this.#seen((question) => (question ? true : undefined), undefined)) ? undefined : 'stuck'
  }

  async #takeListed(box: QuestionOption, text: string): Promise<boolean> {
    const wanted = findChoices(text, box)
    const form: FormDriver = {
      press: (keys) => this.#press(keys),
      seen: (decide) =>
        this.#seen((question, settled) => (question && settled ? decide(question) : undefined), undefined),
    }
    return wanted !== undefined && takeChoices(form, { id: box.id, tick: this.profile.tick }, wanted)
  }

  /** Types the text at the option; resolves with the row where it stands then. */
  async #type(id: string, text: string): Promise<number | undefined> {
    const { profile, host, key } = this
    const keys = this.#textKeys(id)
    if (keys) await this.#press(keys)
    if (keys) await this.#pause(KEYS_TAKEN_MS)
    const { bracketedPaste } = await host.screen(key)
    await host.write(key, toKeys(text, bracketedPaste))
    const row = await this.#settled((screen, settled) => (settled ? findTypedRow(screen, text) : undefined))
    if (row !== undefined && profile.pasteGuard) await this.#pause(profile.pasteGuard)
    return row
  }

  #textKeys(id: string): string | undefined {
    const label = this.choice.options.find((option) => option.id === id)?.label ?? ''
    return this.profile.texts?.find((each) => each.label.test(label))?.keys
  }

  #isTypedAway(text: string, row: number): Promise<true | undefined> {
    return this.#settled((screen, settled) => (settled && findTypedRow(screen, text) !== row ? true : undefined))
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.options.deadlines.after(ms, resolve))
  }

  async #confirm(keys: string): Promise<ChoiceResult> {
    await this.#press(keys)
    let wasGone = false
    let absence: Deadline | undefined
    const result = await this.#settled<ChoiceResult>((screen, settled, steady) => {
      const asked = this.#asked(screen, settled, steady)
      if (asked === 'gone') return 'taken'
      if (asked === 'unclear') {
        absence ??= this.options.deadlines.after(GONE_MS, () => {
          wasGone = true
        })
        return undefined
      }
      absence?.cancel()
      absence = undefined
      // The same dialog after a time without one is another question: it was not there when the key was pressed.
      return wasGone ? 'taken' : undefined
    }).catch(whenEnded<ChoiceResult>('taken'))
    absence?.cancel()
    return result ?? 'stuck'
  }

  /** Position of the mark once it fits, if options have one; undefined if it never does. */
  #mark(id: string, fits: (at: number) => boolean): Promise<number | 'gone' | 'keys' | undefined> {
    const { options } = this.choice
    return this.#seen<number | 'gone' | 'keys'>((question, settled) => {
      if (!question) return 'gone'
      // While such a program draws its mark it takes no key.
      if (this.profile.redraws !== undefined && !settled) return undefined
      this.#keys = question.keys?.[options.findIndex((option) => option.id === id)]
      if (this.#keys !== undefined) return 'keys'
      const marked = markedId(question)
      const at = options.findIndex((option) => option.id === marked)
      return at >= 0 && fits(at) ? at : undefined
    }, 'gone')
  }

  /** State of the question, within the time limit. On a screen that is just being drawn a question may be missing. */
  #seen<T>(decide: (question: ScreenQuestion | undefined, settled: boolean) => T | undefined, ended: T) {
    return this.#settled((screen, settled, steady) => {
      const asked = this.#asked(screen, settled, steady)
      if (asked === 'unclear') return undefined
      return asked === 'gone' ? decide(undefined, true) : decide(asked, settled)
    }).catch(whenEnded(ended))
  }

  /** The question on a screen; unclear while it is missing on one that may be just being drawn. */
  #asked(screen: TerminalScreen, settled: boolean, steady: boolean): ScreenQuestion | 'gone' | 'unclear' {
    const question = findQuestion(screen, this.profile)
    if (question && this.choice.isAsked(question)) return question
    if (question?.isDrawing) return 'unclear'
    return steady || (settled && this.profile.redraws === undefined) ? 'gone' : 'unclear'
  }

  /** State of the screen, within the time limit; it is settled when quiet, or after a while. */
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

const markedId = ({ listed, at }: ScreenQuestion): string | undefined => (at === undefined ? undefined : listed[at]?.id)

/** True if the boxes on the screen are ticked as they should be; those that a text is typed in tick themselves. */
function areTicked({ listed, options }: ScreenQuestion, taken: readonly string[], { ticksAll }: TerminalProfile) {
  const areAll = options.some(({ id, label }) => taken.includes(id) && ticksAll?.test(label))
  return listed.every(({ id, tick }) => {
    const takesText = options.find((option) => option.id === id)?.text !== undefined
    return tick === undefined || takesText || tick === (areAll || taken.includes(id))
  })
}

const oneLine = (text: string): string => toPlainText(text).replace(/\s*\n\s*/g, ' ')

/** Result after a program has ended; other errors are rethrown. */
const whenEnded =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof ProgramEnded) return value
    throw error
  }
