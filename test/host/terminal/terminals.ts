import { Terminal } from '@xterm/headless'
import type { TerminalHost, TerminalScreen } from '../../../src/host/terminal/terminal-host.ts'

const COLS = 80
const ROWS = 24

/** Programs on pseudo-terminals of this process, each with an emulator: the session host within one test. */
export class Terminals implements TerminalHost, AsyncDisposable {
  readonly #running = new Map<string, { process: Bun.Subprocess; emulator: Terminal }>()
  readonly #onOutput = new Set<{ key: string; hear: () => void }>()
  readonly #onExit = new Set<(exit: { key: string }) => void>()

  start(key: string, argv: string[], options: { cwd?: string; env?: Record<string, string> } = {}): void {
    const emulator = new Terminal({ cols: COLS, rows: ROWS, allowProposedApi: true })
    const hear = () => {
      for (const listener of this.#onOutput) if (listener.key === key) listener.hear()
    }
    const process = Bun.spawn(argv, {
      ...options,
      env: { PATH: '/usr/bin:/bin', TERM: 'xterm-256color', ...options.env },
      terminal: { cols: COLS, rows: ROWS, data: (_, bytes) => emulator.write(bytes, hear) },
    })
    emulator.onData((answer) => process.terminal?.write(answer))
    process.exited.then(() => {
      for (const listener of this.#onExit) listener({ key })
    })
    this.#running.set(key, { process, emulator })
  }

  async screen(key: string): Promise<TerminalScreen> {
    const { emulator } = this.#find(key)
    const { active } = emulator.buffer
    const rows = Array.from({ length: ROWS }, (_, row) => active.getLine(active.viewportY + row))
    return {
      lines: rows.map((row) => row?.translateToString(true) ?? ''),
      cursor: { x: active.cursorX, y: active.cursorY },
      cols: COLS,
      bracketedPaste: emulator.modes.bracketedPasteMode,
    }
  }

  async write(key: string, bytes: Uint8Array): Promise<void> {
    this.#find(key).process.terminal?.write(bytes)
  }

  onOutput(key: string, hear: () => void): () => void {
    const listener = { key, hear }
    this.#onOutput.add(listener)
    return () => this.#onOutput.delete(listener)
  }

  onExit(hear: (exit: { key: string }) => void): () => void {
    this.#onExit.add(hear)
    return () => this.#onExit.delete(hear)
  }

  /** The number of active listeners; 0 once every delivery is over. */
  get listeners(): number {
    return this.#onOutput.size + this.#onExit.size
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process, emulator } of this.#running.values()) {
      process.kill('SIGKILL')
      await process.exited
      process.terminal?.close()
      emulator.dispose()
    }
  }

  #find(key: string) {
    const session = this.#running.get(key)
    if (!session) throw new Error(`nothing runs as ${key}`)
    return session
  }
}
