import type { TerminalHost, TerminalScreen } from '../terminal/terminal-host.ts'
import type { RoomyTerminal, TerminalSize } from '../terminal/whole-question.ts'

/** What the questions of a program are read from and answered through. */
interface TerminalAccess {
  screen(): Promise<TerminalScreen>
  write(bytes: Uint8Array): void
  /** Gives the terminal another size for the time being; without one, its own again. */
  applySize(size: TerminalSize | undefined): void
}

/** The terminal of one session, for those who look at it within its host. */
export class SessionTerminal implements TerminalHost, RoomyTerminal {
  readonly #outputListeners = new Set<() => void>()
  readonly #exitListeners = new Set<() => void>()

  constructor(
    private readonly key: string,
    private readonly access: TerminalAccess,
  ) {}

  /** The program wrote something, and it is drawn. */
  emitOutput(): void {
    for (const listener of [...this.#outputListeners]) listener()
  }

  emitExit(): void {
    for (const listener of [...this.#exitListeners]) listener()
  }

  screen(): Promise<TerminalScreen> {
    return this.access.screen()
  }

  async write(_key: string, bytes: Uint8Array): Promise<void> {
    this.access.write(bytes)
  }

  press(keys: string): void {
    this.access.write(new TextEncoder().encode(keys))
  }

  onOutput(_key: string, listener: () => void): () => void {
    this.#outputListeners.add(listener)
    return () => this.#outputListeners.delete(listener)
  }

  onExit(listener: (exit: { key: string }) => void): () => void {
    const report = () => listener({ key: this.key })
    this.#exitListeners.add(report)
    return () => this.#exitListeners.delete(report)
  }

  async withRoom<T>(room: TerminalSize, work: () => Promise<T>): Promise<T> {
    this.access.applySize(room)
    try {
      return await work()
    } finally {
      this.access.applySize(undefined)
    }
  }
}
