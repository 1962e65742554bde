import type { Deadlines } from '../../core/deadlines.ts'
import { killProcessGroup } from '../../core/process-group.ts'
import { redactTokens } from '../../core/text/index.ts'
import type { ProcessTokens } from '../../http/process-tokens.ts'
import type { ConfinedShell, ConfinementRules, ShellDenial } from '../confinement/index.ts'

/** The result of a command. */
export interface ShellResult {
  /** Undefined when it was ended because of its timeout or its signal. */
  code: number | undefined
  /** The end of its output. */
  output: string
  /** Its denials, each once, without those of the kernel. */
  denials: readonly ShellDenial[]
}

export interface ShellOptions {
  /** Command and owner, as in events: `scale_check of worker`. */
  name: string
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  timeout: number
  /** Its sandbox; absent without one. */
  confine?: ConfinementRules | undefined
  signal?: AbortSignal
}

/** Number of bytes of a command's output that are kept. */
const MAX_OUTPUT = 4096
/** Maximum time output is read after the exit, since a child of the command may hold the pipe open. */
const OUTPUT_GRACE = 200

/** Runs declared commands, each in a process group and under a token of its own, with a timeout and bounded output. */
export class ShellRunner {
  constructor(
    private readonly deadlines: Deadlines,
    private readonly tokens: ProcessTokens,
    private readonly confined: ConfinedShell,
  ) {}

  run(line: string, { name, env, ...options }: ShellOptions): Promise<ShellResult> {
    return this.tokens.use(name, (identity) => this.#run(line, { ...options, env: { ...env, ...identity } }))
  }

  async #run(line: string, { cwd, env, timeout, confine, signal }: Omit<ShellOptions, 'name'>): Promise<ShellResult> {
    signal?.throwIfAborted()
    const denials: ShellDenial[] = []
    const onDenial = (denial: ShellDenial) => void denials.push(denial)
    const { child, release } = this.confined.start(line, { cwd, env, confine, onDenial })
    let isEnded = false
    const end = () => {
      isEnded = true
      killProcessGroup(child.pid)
    }
    const deadline = this.deadlines.after(timeout, end)
    signal?.addEventListener('abort', end, { once: true })
    const tail = new OutputTail()
    const outputs = Promise.all([tail.read(child.stdout), tail.read(child.stderr)])
    try {
      const code = await child.exited
      await Promise.race([outputs, this.deadlines.sleep(OUTPUT_GRACE)])
      return { code: isEnded ? undefined : code, output: tail.text, denials }
    } finally {
      deadline.cancel()
      signal?.removeEventListener('abort', end)
      tail.stop()
      release()
    }
  }
}

/** Keeps the last bytes of what is read. */
class OutputTail {
  #bytes = Buffer.alloc(0)
  readonly #readers: { cancel(): Promise<void> }[] = []

  get text(): string {
    return redactTokens(this.#bytes.toString('utf8').replaceAll('\uFFFD', '').trim())
  }

  async read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const reader = stream.getReader()
    this.#readers.push(reader)
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      this.#bytes = Buffer.concat([this.#bytes, piece.value]).subarray(-MAX_OUTPUT)
    }
  }

  stop(): void {
    for (const reader of this.#readers) void reader.cancel().catch(() => {})
  }
}
