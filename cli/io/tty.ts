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

/** Resets what full-screen programs set: alternate screen, hidden cursor, mouse, pasting, key modes, colours. */
const RESET =
  '\u001b[?1049l\u001b[?25h\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?2004l\u001b[?1l\u001b>\u001b[<u\u001b[0m'

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
      stdin.on('data', keys)
      stdin.resume()
      stdout.on('resize', resized)
      const leave = (signal: NodeJS.Signals) => {
        restore()
        process.kill(process.pid, signal)
      }
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
