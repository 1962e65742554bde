import type { Deadlines } from '../../core/deadlines.ts'
import { redactTokens } from '../../http/credentials.ts'

/** How a command ended. */
export interface ShellResult {
  /** Undefined when it was ended because its time was over, or because nobody waits for it any more. */
  code: number | undefined
  /** The end of what it wrote. */
  output: string
}

export interface ShellOptions {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  timeout: number
  signal?: AbortSignal
}

/** What of a command's output is kept. */
const MAX_OUTPUT = 4096
/** How long its output is listened to once it has ended: what it left behind may hold the pipe open. */
const OUTPUT_GRACE = 200

/** Runs declared commands: each in a group of its own, bounded in time and in what is kept of its output. */
export class ShellRunner {
  constructor(private readonly deadlines: Deadlines) {}

  async run(line: string, { cwd, env, timeout: within, signal }: ShellOptions): Promise<ShellResult> {
    signal?.throwIfAborted()
    const stdio = { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' } as const
    const child = Bun.spawn(['/bin/sh', '-c', line], { cwd, env, detached: true, ...stdio })
    let ended = false
    const end = () => {
      ended = true
      endGroup(child.pid)
    }
    const late = this.deadlines.after(within, end)
    signal?.addEventListener('abort', end, { once: true })
    const tail = new OutputTail()
    const heard = Promise.all([tail.read(child.stdout), tail.read(child.stderr)])
    try {
      const code = await child.exited
      await Promise.race([heard, this.deadlines.sleep(OUTPUT_GRACE)])
      return { code: ended ? undefined : code, output: tail.text }
    } finally {
      late.cancel()
      signal?.removeEventListener('abort', end)
      tail.stop()
    }
  }
}

/** Ends a command with everything it started that stayed in its group. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Keeps the end of what is read, whatever comes. */
class OutputTail {
  #kept = Buffer.alloc(0)
  readonly #readers: { cancel(): Promise<void> }[] = []

  get text(): string {
    return redactTokens(this.#kept.toString('utf8').replaceAll('\uFFFD', '').trim())
  }

  async read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const reader = stream.getReader()
    this.#readers.push(reader)
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      this.#kept = Buffer.concat([this.#kept, piece.value]).subarray(-MAX_OUTPUT)
    }
  }

  stop(): void {
    for (const reader of this.#readers) void reader.cancel().catch(() => {})
  }
}
