import { constants } from 'node:os'

declare global {
  namespace NodeJS {
    interface Process {
      binding(name: 'tty_wrap'): { isTTY(descriptor: number): boolean }
    }
  }
}

/** True for a descriptor of a terminal. `node:tty` asks the same, and loads sockets and streams first. */
export const isTerminal = (descriptor: number): boolean => process.binding('tty_wrap').isTTY(descriptor)

/** As shells report a program that a hangup ended. */
export const HUNG_UP = 128 + constants.signals.SIGHUP
const LOOK_MS = 400

/**
 * Ends the process once every terminal that its streams began on is gone. A program whose shell was killed gets no signal, and
 * one that only waits writes nothing that could fail.
 */
export function exitWithTerminal(): void {
  const terminals = [0, 1, 2].filter((descriptor) => isTerminal(descriptor))
  if (terminals.length === 0) return
  const look = () => {
    if (terminals.every((descriptor) => !isTerminal(descriptor))) process.exit(HUNG_UP)
  }
  looking = setInterval(look, LOOK_MS).unref()
}

let looking: NodeJS.Timeout | undefined

/** Continues without the terminal, as a supervisor does. */
export const ignoreHangup = (): void => clearInterval(looking)

/** Ends the process as a signal would; handlers of its exit run first, which put the terminal back. */
export const exitOf = (signal: 'SIGTERM' | 'SIGHUP' | 'SIGINT'): never => process.exit(128 + constants.signals[signal])
