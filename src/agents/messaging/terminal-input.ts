import type { Deadlines } from '../../core/deadlines.ts'
import type { ChoiceResult } from '../../host/protocol/index.ts'
import {
  type Choice,
  chooseOption,
  type Delivery,
  deliver,
  interrupt,
  submitTyped,
  type TerminalHost,
  type TerminalProgram,
} from '../../host/terminal/index.ts'

export interface TypeOptions {
  signal: AbortSignal
  timeout: number
  /** True if the program is known to have written nothing for a while. */
  isQuiet: boolean
  onTyping(): Promise<void>
}

/** Types into the terminals of sessions. */
export interface TerminalInput {
  /** Types a message and submits it; resolves with the outcome of it. `onTyping` is awaited before the first key. */
  deliver(key: string, program: TerminalProgram, text: string, options: TypeOptions): Promise<Delivery>
  /** Submits a message that was typed and may not have been submitted, if it is in the input line. */
  finish(key: string, program: TerminalProgram, text: string, signal: AbortSignal): Promise<Delivery>
  /** Ends the present turn of a program and leaves it running. */
  interrupt(key: string, program: TerminalProgram): Promise<boolean>
  /** Takes an option of a dialog; resolves with the outcome of that. */
  choose(key: string, program: TerminalProgram, choice: Choice): Promise<ChoiceResult>
}

/** Sends all keys through one host, which serializes them by terminal and announces the first key of a message. */
export function openTerminalInput(host: TerminalHost, deadlines: Deadlines): TerminalInput {
  const announcements = new Map<string, () => Promise<void>>()
  const announcing: TerminalHost = {
    screen: (key) => host.screen(key),
    onOutput: (key, listener) => host.onOutput(key, listener),
    onExit: (listener) => host.onExit(listener),
    async write(key, bytes) {
      const onTyping = announcements.get(key)
      announcements.delete(key)
      await onTyping?.()
      return host.write(key, bytes)
    },
  }
  return {
    deliver: (key, program, text, { onTyping, signal, timeout, isQuiet }) => {
      announcements.set(key, onTyping)
      const options = { signal, within: timeout, deadlines, isQuiet }
      return deliver(announcing, key, program, text, options).finally(() => announcements.delete(key))
    },
    finish: (key, program, text, signal) => submitTyped(announcing, key, program, text, { signal, deadlines }),
    interrupt: (key, program) => interrupt(announcing, key, program, { deadlines }),
    choose: (key, program, choice) => chooseOption(announcing, key, program, choice, { deadlines }),
  }
}
