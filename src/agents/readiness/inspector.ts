import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Deadlines } from '../../core/deadlines.ts'
import { parseJson } from '../conversations/entries/json.ts'

type Env = Readonly<Record<string, string | undefined>>

/** How a program that was asked something ended. */
export interface Asked {
  readonly code: number | undefined
  readonly out: string
  /** It did not answer in time and was ended. */
  readonly late: boolean
}

/** A program that says nothing for so long is ended. */
const WITHIN_MS = 5000
/** More than this nobody has to say. */
const MOST = 64 * 1024

/** Settings are not larger. */
const LARGEST = 1024 * 1024

/** Looks at programs and their files: bounded in time, and the same wherever the supervisor was started from. */
export class Look {
  readonly home: string
  readonly path: string

  constructor(
    readonly env: Env,
    private readonly deadlines: Deadlines,
  ) {
    this.home = env.HOME ?? '/'
    const own = ['.local/bin', '.bun/bin', '.npm-global/bin', '.cargo/bin', 'bin'].map((name) => join(this.home, name))
    this.path = ['/usr/local/bin', '/opt/homebrew/bin', '/usr/bin', '/bin', ...own].join(delimiter)
  }

  /** Where a program is; undefined when it is nowhere that is looked at. */
  find(program: string): string | undefined {
    return this.path
      .split(delimiter)
      .map((folder) => join(folder, program))
      .find(runnable)
  }

  /** A file's text; undefined when it cannot be read, or is nothing that a program keeps its settings in. */
  file(path: string): string | undefined {
    try {
      const found = statSync(path)
      return found.isFile() && found.size <= LARGEST ? readFileSync(path, 'utf8') : undefined
    } catch {
      return undefined
    }
  }

  /** A file as JSON: undefined when it is not there, null when it is not JSON. */
  json(path: string): unknown {
    const said = this.file(path)
    return said === undefined ? undefined : (parseJson(said) ?? null)
  }

  parse(said: string): unknown {
    return parseJson(said)
  }

  /** Asks a program something; it and what it starts are ended when it does not answer in time. */
  async run([program = '', ...args]: readonly string[]): Promise<Asked> {
    const found = this.find(program)
    if (!found) return { code: undefined, out: '', late: false }
    const env = { ...this.env, PATH: this.path }
    const child = Bun.spawn([found, ...args], {
      ...{ env, cwd: this.home, detached: true, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' },
    })
    const { promise: late, resolve } = Promise.withResolvers<'late'>()
    const due = this.deadlines.after(WITHIN_MS, () => resolve('late'))
    const reader = child.stdout.getReader()
    const answered = Promise.all([child.exited, read(reader)])
    const ended = await Promise.race([answered, late])
    due.cancel()
    if (ended !== 'late') return { code: ended[0], out: ended[1], late: false }
    endGroup(child.pid)
    await reader.cancel()
    return { code: undefined, out: '', late: true }
  }
}

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
}

async function read(reader: Reader): Promise<string> {
  const decoder = new TextDecoder()
  let said = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return said
    if (said.length < MOST) said += decoder.decode(value, { stream: true })
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function runnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
