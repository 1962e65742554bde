import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRecord, parseJson } from '../../src/client/json.ts'
import type { DatabaseVersions } from '../../src/supervisor/databases.ts'
import { failure } from '../io/exit.ts'

/** A gc that may take the place of this one: a copy of a file, beside the program that it replaces. */
export interface Candidate {
  readonly path: string
  readonly version: string
  readonly commit: string
  readonly databases: DatabaseVersions
  readonly changes: readonly string[]
}

/** Time it has to say its version, and to be up in a home of its own. */
const VERSION_MS = 20_000
const TRIAL_MS = 60_000
/** Bytes of a file that identify its system and processor. */
const HEADER_BYTES = 20

/** Copies a file to `path` and checks that it is a gc that starts here; what is refused leaves no copy. */
export async function prepareCandidate(file: string, path: string, own: string): Promise<Candidate> {
  try {
    copyProgram(file, path, own)
    const candidate = { path, ...describe(file, path) }
    await tryOut(file, path)
    return candidate
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
}

function copyProgram(file: string, path: string, own: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) throw failure(`there is no file ${file}`)
  if (!header(file).equals(header(own))) {
    throw failure(`${file} is not a program for this system and processor; nothing was changed`)
  }
  copyFileSync(file, path)
  chmodSync(path, 0o755)
  const copy = openSync(path, 'r')
  fsyncSync(copy)
  closeSync(copy)
}

function header(file: string): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES)
  const opened = openSync(file, 'r')
  try {
    readSync(opened, bytes)
  } finally {
    closeSync(opened)
  }
  return bytes
}

/** Version information of a program, run with an empty environment. */
function describe(file: string, path: string): Omit<Candidate, 'path'> {
  const { stdout, status } = inEmptyHome((env) =>
    spawnSync(path, ['version', '--long', '--json'], {
      env,
      encoding: 'utf8',
      timeout: VERSION_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  const said = status === 0 ? parseJson(stdout) : undefined
  if (!isRecord(said) || typeof said.version !== 'string' || typeof said.commit !== 'string') {
    throw failure(`${file} is not gc, or it is broken: it does not say its version; nothing was changed`)
  }
  const { version, commit, databases, changes } = said
  if (!isVersions(databases) || !Array.isArray(changes)) {
    throw failure(
      `${file} is gc ${version}, which cannot say which databases it reads; end gc by \`gc down\` and put the file in place yourself`,
    )
  }
  return { version, commit, databases, changes: changes.map(String) }
}

const isVersions = (value: unknown): value is DatabaseVersions =>
  isRecord(value) && ['supervisor', 'city', 'network'].every((kind) => typeof value[kind] === 'number')

/** Lets it serve in an empty home, since a program may say its version and still not start. */
async function tryOut(file: string, path: string): Promise<void> {
  const ended = await inEmptyHome(async (env) => {
    const trial = Bun.spawn([path, 'serve', '--port', '0'], {
      env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
      timeout: TRIAL_MS,
    })
    const first = await trial.stdout.getReader().read()
    trial.kill()
    await trial.exited
    return first.done
  })
  if (ended) throw failure(`${file} does not start here; nothing was changed`)
}

function inEmptyHome<T>(use: (env: Record<string, string>) => T): T {
  const home = mkdtempSync(join(tmpdir(), 'gc-upgrade-'))
  const remove = () => rmSync(home, { recursive: true, force: true })
  const result = use({ HOME: home, GC_HOME: join(home, '.gc'), PATH: process.env.PATH ?? '' })
  if (result instanceof Promise) void result.finally(remove).catch(() => {})
  else remove()
  return result
}
