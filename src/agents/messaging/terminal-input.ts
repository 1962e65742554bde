import type { Deadlines } from '../../core/deadlines.ts'
import { type Choice, type Chosen, choose } from '../../host/terminal/choose.ts'
import { type Delivery, deliver } from '../../host/terminal/deliver.ts'
import type { TerminalHost } from '../../host/terminal/host.ts'
import { interrupt } from '../../host/terminal/interrupt.ts'
import type { Program } from '../../host/terminal/settle.ts'

export interface TypeOptions {
  signal: AbortSignal
  timeout: number
  onTyping(): Promise<void>
}

/** Types into the terminals of sessions. */
export interface TerminalInput {
  /** Types a text and submits it; says what became of it. `typing` is waited for before the first key. */
  deliver(key: string, program: Program, text: string, options: TypeOptions): Promise<Delivery>
  /** Ends the present turn of a program and leaves it running. */
  interrupt(key: string, program: Program): Promise<boolean>
  /** Takes an option of what a program asks; says what became of that. */
  choose(key: string, program: Program, choice: Choice): Promise<Chosen>
}

/** Every key of ours goes through one host, which takes turns by terminal and announces the first key of a text. */
export function openTerminalInput(host: TerminalHost, deadlines: Deadlines): TerminalInput {
  const announce = new Map<string, () => Promise<void>>()
  const announcing: TerminalHost = {
    screen: (key) => host.screen(key),
    onOutput: (key, hear) => host.onOutput(key, hear),
    onExit: (hear) => host.onExit(hear),
    async write(key, bytes) {
      const typing = announce.get(key)
      announce.delete(key)
      await typing?.()
      return host.write(key, bytes)
    },
  }
  return {
    deliver: (key, program, text, { onTyping: typing, ...options }) => {
      announce.set(key, typing)
      return deliver(announcing, key, program, text, { ...options, deadlines }).finally(() => announce.delete(key))
    },
    interrupt: (key, program) => interrupt(announcing, key, program, { deadlines }),
    choose: (key, program, choice) => choose(announcing, key, program, choice, { deadlines }),
  }
}
