import { programOf } from './list.ts'
import type { TerminalProfile } from './terminal-profile.ts'

/** What is assumed of a program that we know nothing about. */
export const DEFAULT_TERMINAL_PROFILE: TerminalProfile = {
  readyPrefixes: [],
  readyDelay: 2000,
  takesWhileBusy: false,
  dialogs: [],
  submit: '\r',
  tick: '\r',
  interrupt: ['\x03'],
}

/** What decides how a screen is read. */
interface ProgramOnTerminal {
  /** The name of its preset; absent when we know nothing about it. */
  readonly name?: string | undefined
  readonly readyPrefix?: string | undefined
  readonly readyDelay?: number | undefined
}

/** How a program behaves in a terminal: what is known of it by name, then what its declaration adds. */
export function profileOf({ name, readyPrefix, readyDelay }: ProgramOnTerminal): TerminalProfile {
  const profile: TerminalProfile = { ...DEFAULT_TERMINAL_PROFILE, ...programOf(name)?.screens }
  const declared = readyPrefix ? [readyPrefix] : []
  return {
    ...profile,
    readyPrefixes: [...new Set([...declared, ...profile.readyPrefixes])],
    readyDelay: readyDelay ?? profile.readyDelay,
  }
}
