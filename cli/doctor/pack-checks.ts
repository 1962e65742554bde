import { resolveHome } from '../../src/client/home.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CityFiles } from '../../src/config/offline/index.ts'
import type { PackCheck } from '../../src/config/packs/index.ts'
import { loadOffline } from '../context/offline.ts'
import type { Io } from '../io/io.ts'
import { argvOf, borrowToken, scriptEnvironment } from '../pack-commands/run.ts'
import { bad, type CheckResult, ok } from './result.ts'

interface PackCheckOptions {
  readonly fix: boolean
  readonly timeoutMs: number
  /** Only checks that must run before the city starts. */
  readonly warmupOnly?: boolean
}

const AT_ONCE = 4
const MAX_OUTPUT = 64 * 1024

/** Runs the checks of the packs of the city in a folder. */
export async function runPackChecks(io: Io, folder: string, options: PackCheckOptions): Promise<CheckResult[]> {
  const { readCityFiles, findPackChecks } = await loadOffline()
  const city = readCityFiles(folder, resolveHome(io.env))
  const { scripts, warnings } = findPackChecks(city.packs)
  const checks = scripts.filter(({ warmup }) => warmup || !options.warmupOnly)
  const results: CheckResult[] = warnings.map((warning) =>
    bad('warning', 'doctor checks', sanitizeLine(warning), 'fix the pack'),
  )
  const queue = [...checks.entries()]
  const done = new Map<number, CheckResult>()
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift())
      done.set(next[0], await runCheck(io, city, next[1], options))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return [...results, ...checks.flatMap((_, at) => done.get(at) ?? [])]
}

async function runCheck(io: Io, city: CityFiles, check: PackCheck, options: PackCheckOptions): Promise<CheckResult> {
  const before = await judge(io, city, check, options.timeoutMs)
  if (before.status === 'ok' || !options.fix || check.fix === undefined) return before
  const { status, lines } = await runScript(io, city, check, check.fix, options.timeoutMs)
  const attempted = { fix_attempted: true, fix_hint: `see ${check.fix}` }
  if (status !== 0) {
    const reason = status === 'late' ? `took longer than ${options.timeoutMs / 1000} s` : `exited with status ${status}`
    return { ...before, ...attempted, fix_error: lines[0] ?? `the fix ${reason}` }
  }
  const after = await judge(io, city, check, options.timeoutMs)
  if (after.status === 'ok') return { ...after, fix_attempted: true, fixed: true }
  return { ...after, ...attempted, fixed: false, fix_error: 'the fix ran, and the check still fails' }
}

/** Status 0 is good, 1 a warning, anything else an error; the first line says what, the others are details. */
async function judge(io: Io, city: CityFiles, check: PackCheck, timeoutMs: number): Promise<CheckResult> {
  const { status, lines } = await runScript(io, city, check, check.script, timeoutMs)
  const [message = check.description || (status === 0 ? 'good' : `ended with status ${status}`), ...details] = lines
  if (status === 0) return { ...ok(check.name, message), ...(details.length > 0 && { details }) }
  const hint = check.fix ? '`gc doctor --fix` fixes it' : `see ${check.script}`
  if (status === 'late') {
    const sentence = `it took longer than ${timeoutMs / 1000} s`
    return bad('error', check.name, sentence, '`--check-timeout` gives it more time', lines)
  }
  return bad(status === 1 ? 'warning' : 'error', check.name, message, hint, details)
}

async function runScript(
  io: Io,
  city: CityFiles,
  check: PackCheck,
  script: string,
  timeoutMs: number,
): Promise<{ status: number | 'late'; lines: string[] }> {
  await using token = await borrowToken(io, city, `doctor check ${check.name}`)
  const child = Bun.spawn(argvOf(script), {
    cwd: check.pack.folder,
    env: { ...io.env, ...(await scriptEnvironment(io, city, check.pack)), ...token.identity },
    ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
    ...{ timeout: timeoutMs, killSignal: 'SIGKILL', signal: io.signal },
  })
  const [out, err] = await Promise.all([readSome(child.stdout), readSome(child.stderr), child.exited])
  const lines = `${out}\n${err}`.split('\n').map((line) => sanitizeLine(line).trimEnd())
  const status = child.signalCode === 'SIGKILL' ? 'late' : (child.exitCode ?? 2)
  return { status, lines: lines.filter((line) => line !== '') }
}

/** Output of a script up to a readable length; the rest is read and dropped. */
async function readSome(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) if (text.length < MAX_OUTPUT) text += decoder.decode(chunk, { stream: true })
  return text.slice(0, MAX_OUTPUT)
}
