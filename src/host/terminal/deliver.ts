import type { Deadline } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Dialog, TerminalProfile } from '../../programs/terminal-profile.ts'
import { cursorRow, findTypedText, holdsOnly, type InputPosition, isStillTyped, showsTypedText } from './input.ts'
import { withInputLock } from './input-lock.ts'
import type { ProgramState } from './program-state.ts'
import { ScreenWatcher } from './screen-watcher.ts'
import type { TerminalHost, TerminalScreen } from './terminal-host.ts'
import { quoteCommands, toKeys, toPlainText } from './typed-text.ts'
import { type SettleOptions, type TerminalProgram, waitForState } from './wait-for-state.ts'

/**
 * Outcome of the text. `delivered`: it was seen in the input line and then gone from it. `queued`: nothing was typed,
 * since the program is busy or asks a person something; try again later. `failed`: why, in a sentence.
 */
export type Delivery =
  | { state: 'delivered' }
  | { state: 'queued'; reason: string; dialog?: Dialog }
  | { state: 'failed'; reason: string }

export interface DeliverOptions extends SettleOptions {
  /** Lets the text begin with a command of the program's own, such as `/compact`. */
  commands?: boolean
  /** True if the program is known to have written nothing for a while. */
  isQuiet?: boolean
}

/** Parts of the total time: for a free input line, for the text to show, and for each Enter. */
const WITHIN = 30_000
const PARTS = { stand: 20 / 30, echo: 5 / 30, enter: 2.5 / 30 }
const ENTERS = 2
/** A text shorter than this may stand before the cursor by chance. */
const SHORT_TEXT = 8

const bytes = (keys: string): Uint8Array => new TextEncoder().encode(keys)

const failed = (reason: string): Delivery => ({ state: 'failed', reason })

/** Types text into a session and submits it. Never answers a dialog, and never types into what someone began. */
export const deliver = (
  host: TerminalHost,
  key: string,
  program: TerminalProgram,
  text: string,
  options: DeliverOptions,
): Promise<Delivery> => withText(host, key, program, text, options, (delivery, plain) => delivery.say(plain))

/**
 * Submits a text that was typed and may not have been submitted, if it is in the input line. `failed` where it does
 * not: it was submitted, or never typed.
 */
export const submitTyped = (
  host: TerminalHost,
  key: string,
  program: TerminalProgram,
  text: string,
  options: DeliverOptions,
): Promise<Delivery> => withText(host, key, program, text, options, (delivery, plain) => delivery.finish(plain))

function withText(
  host: TerminalHost,
  key: string,
  { profile }: TerminalProgram,
  text: string,
  options: DeliverOptions,
  act: (delivery: TextDelivery, plain: string) => Promise<Delivery>,
): Promise<Delivery> {
  const plain = toPlainText(text)
  if (!plain) return Promise.resolve(failed('there is nothing to say: the text is empty'))
  return withInputLock(host, key, async () => {
    const watch = new ScreenWatcher(host, key, options.deadlines, options.signal, options.isQuiet)
    try {
      const delivery = new TextDelivery(host, key, profile, watch, options)
      return await act(delivery, options.commands ? plain : quoteCommands(plain))
    } catch (error) {
      return failed(errorMessage(error))
    } finally {
      watch.close()
    }
  })
}

/** One text on its way into a terminal. */
class TextDelivery {
  constructor(
    private readonly host: TerminalHost,
    private readonly key: string,
    private readonly profile: TerminalProfile,
    private readonly watch: ScreenWatcher,
    private readonly options: DeliverOptions,
  ) {}

  async say(text: string): Promise<Delivery> {
    const unable = await this.#unable()
    if (unable) return unable
    const { bracketedPaste } = await this.host.screen(this.key)
    await this.host.write(this.key, toKeys(text, bracketedPaste))
    const shown = await this.watch.until(this.#part('echo'), ({ screen }) => {
      const place = findTypedText(screen, this.profile, text)
      return place && { place, row: cursorRow(screen) }
    })
    if (!shown) return this.#takeBack(text, 'it does not show what is typed')
    if (this.profile.pasteGuard) await this.#pause(this.profile.pasteGuard)
    return this.#submit(text, shown)
  }

  async finish(text: string): Promise<Delivery> {
    const { profile, options } = this
    const isSettled = ({ is }: ProgramState) => is !== 'starting'
    await waitForState(this.watch, profile, { ...options, within: this.#part('echo') }, isSettled)
    const screen = await this.host.screen(this.key)
    if (!holdsOnly(screen, profile, text)) return failed('it is not in the input line')
    return this.#submit(text, { place: findTypedText(screen, profile, text) ?? 'prefix', row: cursorRow(screen) })
  }

  /** Reason nothing may be typed now. */
  async #unable(): Promise<Delivery | undefined> {
    const { profile, options } = this
    const takes = ({ is }: ProgramState) =>
      is === 'ready' || is === 'asking' || (is === 'busy' && profile.takesWhileBusy)
    const state = await waitForState(this.watch, profile, { ...options, within: this.#part('stand') }, takes)
    if (state.is === 'asking') {
      return { state: 'queued', reason: `it waits for a person: ${state.dialog.asks}`, dialog: state.dialog }
    }
    if (takes(state)) return undefined
    if (state.is === 'typing') return { state: 'queued', reason: 'someone has begun to type there' }
    if (state.is === 'busy' || options.settled) return { state: 'queued', reason: 'it is busy' }
    return failed('its input line was not seen in time')
  }

  async #submit(text: string, { place, row }: { place: InputPosition; row: string }): Promise<Delivery> {
    for (let tried = 0; tried < ENTERS; tried++) {
      await this.host.write(this.key, bytes(this.profile.submit))
      const taken = await this.#holds(this.#part('enter'), (screen) => {
        const moved = text.length < SHORT_TEXT && cursorRow(screen) !== row
        const gone = moved || !showsTypedText(screen, this.profile, text, place)
        return gone && !isStillTyped(screen, this.profile, text)
      })
      if (taken) return { state: 'delivered' }
    }
    return this.#takeBack(text, 'it does not accept input: the text is still in its input line')
  }

  /** True if something holds of the screen within so long, and stays so where the program draws it again. */
  async #holds(within: number, holds: (screen: TerminalScreen) => boolean): Promise<boolean> {
    const { redraws = 0 } = this.profile
    const timers: Deadline[] = []
    let held: { enough: boolean } | undefined
    const hold = () => {
      const begun = { enough: redraws === 0 }
      const enough = () => {
        begun.enough = true
        this.watch.check()
      }
      if (redraws > 0) timers.push(this.options.deadlines.after(redraws, enough))
      return begun
    }
    const seen = await this.watch.until(within + redraws, ({ screen }) => {
      held = holds(screen) ? (held ?? hold()) : undefined
      return held?.enough || undefined
    })
    for (const timer of timers) timer.cancel()
    return seen ?? false
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.options.deadlines.after(ms, resolve))
  }

  #part(part: keyof typeof PARTS): number {
    return (this.options.within ?? WITHIN) * PARTS[part]
  }

  /** Leaves the input line as it was found, so that the next text is not glued to this one. */
  async #takeBack(text: string, reason: string): Promise<Delivery> {
    const lines = text.split('\n').length
    if (this.profile.clear) await this.host.write(this.key, bytes(this.profile.clear.repeat(lines)))
    return failed(reason)
  }
}
