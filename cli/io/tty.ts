import { exitOf } from './hangup.ts'

/** The user's terminal while it is attached to another program. */
export interface Tty {
  readonly cols: number
  readonly rows: number
  write(bytes: Uint8Array): void
  /** Passes on keys and changes of size, until `restore`. */
  acquire(listener: { keys(bytes: Uint8Array): void; size(cols: number, rows: number): void }): void
  /** Restores the terminal; may be called twice. */
  restore(): void
}

/** Keeps the title, and has keys sent as they are at first, in an entry of the program's own. */
const ENTER = '\u001b[22;0t\u001b[>0u'
/** Modes that the output of a session can set, and that are off in a shell; wrapping is on. */
const OFF = ['1', '5', '6', '1000', '1002', '1003', '1004', '1006', '1016', '2004']
/** Resets what full-screen programs set: held output, links, keys, the alternate screen, modes, margins, characters, colours. */
const RESET = [
  ...['\u001b[?2026l', '\u001b]8;;\u001b\\', '\u001b[=0;1u', '\u001b[?1049l', '\u001b[<u', '\u001b[>4m'],
  ...[...OFF.map((mode) => `\u001b[?${mode}l`), '\u001b[?7h', '\u001b[?25h', '\u001b[4l', '\u001b>', '\u001b(B'],
  // To set the margins moves the cursor.
  ...['\u001b7', '\u001b[r', '\u001b8', '\u001b[0 q', '\u001b[0m', '\u001b[23;0t'],
].join('')

const TERMINATING_SIGNALS = ['SIGTERM', 'SIGHUP'] as const

/** The process's own terminal; undefined when input or output is not one. */
export function processTty(): Tty | undefined {
  const { stdin, stdout } = process
  if (!stdin.isTTY || !stdout.isTTY) return undefined
  const undo: (() => void)[] = []
  const restore = () => {
    for (const step of undo.splice(0)) step()
  }
  return {
    get cols() {
      return stdout.columns || 80
    },
    get rows() {
      return stdout.rows || 24
    },
    write: (bytes) => void stdout.write(bytes),
    acquire({ keys, size }) {
      const resized = () => size(stdout.columns, stdout.rows)
      stdin.setRawMode(true)
      stdout.write(ENTER)
      stdin.on('data', keys)
      stdin.resume()
      stdout.on('resize', resized)
      const leave = (signal: (typeof TERMINATING_SIGNALS)[number]) => exitOf(signal)
      process.on('exit', restore)
      for (const signal of TERMINATING_SIGNALS) process.once(signal, leave)
      undo.push(() => {
        process.off('exit', restore)
        for (const signal of TERMINATING_SIGNALS) process.off(signal, leave)
        stdout.off('resize', resized)
        stdin.off('data', keys)
        stdin.setRawMode(false)
        stdin.pause()
        stdout.write(RESET)
      })
    },
    restore,
  }
}
