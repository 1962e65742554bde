import { programOf } from './list.ts'
import type { TerminalProfile } from './terminal-profile.ts'

/** The profile of an unknown program. */
export const DEFAULT_TERMINAL_PROFILE: TerminalProfile = {
  readyPrefixes: [],
  readyDelay: 2000,
  takesWhileBusy: false,
  dialogs: [],
  submit: '\r',
  tick: '\r',
  interrupt: ['\x03'],
}

/** The declaration of a program on a terminal. */
interface ProgramOnTerminal {
  /** The name of its preset; absent when we know nothing about it. */
  readonly name?: string | undefined
  readonly readyPrefix?: string | undefined
  readonly readyDelay?: number | undefined
}

/** The behaviour of a program in a terminal: by its name, then by its declaration. */
export function profileOf({ name, readyPrefix, readyDelay }: ProgramOnTerminal): TerminalProfile {
  const profile: TerminalProfile = { ...DEFAULT_TERMINAL_PROFILE, ...programOf(name)?.screens }
  const declared = readyPrefix ? [readyPrefix] : []
  return {
    ...profile,
    readyPrefixes: [...new Set([...declared, ...profile.readyPrefixes])],
    readyDelay: readyDelay ?? profile.readyDelay,
  }
}
