import { Terminal } from '@xterm/headless'

/** Keys as a terminal sends them. */
export const KEYS = {
  enter: '\r',
  esc: '\x1b',
  tab: '\t',
  up: '\x1b[A',
  down: '\x1b[B',
  ctrlC: '\x03',
  ctrlP: '\x10',
  ctrlT: '\x14',
  ctrlZ: '\x1a',
  detach: '\x1d',
  backspace: '\x7f',
}

interface Options {
  cols: number
  rows: number
  env: Record<string, string | undefined>
  cwd?: string
}

/** A program on its own terminal, and the screen a person would see. */
export class Screen implements AsyncDisposable {
  /** The emulated terminal. */
  readonly terminal: Terminal
  readonly #process: Bun.Subprocess
  #raw = ''
  #wake = () => {}

  constructor(argv: readonly string[], { cols, rows, ...options }: Options) {
    this.terminal = new Terminal({ cols, rows, allowProposedApi: true, logLevel: 'off' })
    this.#process = Bun.spawn([...argv], {
      ...options,
      terminal: {
        cols,
        rows,
        data: (_, bytes) => {
          this.#raw += new TextDecoder().decode(bytes)
          this.terminal.write(bytes, () => this.#wake())
        },
      },
    })
    this.terminal.onData((answer) => this.#process.terminal?.write(answer))
  }

  /** All output, including escape sequences. */
  get raw(): string {
    return this.#raw
  }

  get exited(): Promise<number> {
    return this.#process.exited
  }

  get pid(): number {
    return this.#process.pid
  }

  /** Requests of the program to its terminal that are still open. */
  get modes(): { alternate: boolean; mouse: boolean; paste: boolean } {
    const { mouseTrackingMode, bracketedPasteMode } = this.terminal.modes
    return { alternate: this.alternate, mouse: mouseTrackingMode !== 'none', paste: bracketedPasteMode }
  }

  /** True if the program uses the alternate screen. */
  get alternate(): boolean {
    return this.terminal.buffer.active.type === 'alternate'
  }

  lines(): string[] {
    const { active } = this.terminal.buffer
    return Array.from({ length: this.terminal.rows }, (_, row) => {
      const line = active.getLine(active.viewportY + row)
      return line?.translateToString(true) ?? ''
    })
  }

  get text(): string {
    return this.lines().join('\n')
  }

  /** Clicks on the first place where a text stands. */
  click(text: string): void {
    const row = this.lines().findIndex((line) => line.includes(text))
    const column = this.lines()[row]?.indexOf(text) ?? -1
    if (column < 0) throw new Error(`${text} is not on the screen:\n${this.text}`)
    this.press(`\x1b[<0;${column + 1};${row + 1}M\x1b[<0;${column + 1};${row + 1}m`)
  }

  press(...keys: string[]): void {
    for (const key of keys) this.#process.terminal?.write(key)
  }

  resize(cols: number, rows: number): void {
    this.terminal.resize(cols, rows)
    this.#process.terminal?.resize(cols, rows)
  }

  /** Waits until the program has ended and given its terminal back; its exit status. */
  async left(ms = 10_000): Promise<number> {
    const status = await this.exited
    const isFree = () => Object.values(this.modes).every((isOn) => !isOn)
    await this.#until(isFree, `the terminal was not given back: ${JSON.stringify(this.modes)}`, ms)
    return status
  }

  /** Waits until the program has written something that is not seen on the screen. */
  async hears(wanted: string, ms = 10_000): Promise<void> {
    await this.#until(() => this.#raw.includes(wanted), `${JSON.stringify(wanted)} was not written`, ms)
  }

  /** Waits until the screen shows something; a failure contains the screen. */
  async shows(wanted: string | RegExp, ms = 10_000): Promise<void> {
    const holds = () => (typeof wanted === 'string' ? this.text.includes(wanted) : wanted.test(this.text))
    await this.#until(holds, `${wanted} did not appear`, ms)
  }

  async shown(unwanted: string, ms = 10_000): Promise<void> {
    await this.#until(() => !this.text.includes(unwanted), `${unwanted} did not go away`, ms)
  }

  async #until(holds: () => boolean, message: string, ms: number): Promise<void> {
    const end = performance.now() + ms
    while (!holds()) {
      if (performance.now() > end) throw new Error(`${message} within ${ms} ms:\n${this.text}`)
      await Promise.race([new Promise<void>((resolve) => (this.#wake = resolve)), Bun.sleep(100)])
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null) this.#process.kill('SIGKILL')
    await this.#process.exited
  }
}
