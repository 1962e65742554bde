import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Command, Option } from 'commander'
import type { Client } from '../../src/client/client.ts'
import { Unreachable } from '../../src/client/errors.ts'
import { resolveHome } from '../../src/client/home.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { program as ownProgram } from '../context/version.ts'
import { Exit, failure, notFound } from '../io/exit.ts'
import { printLine } from '../io/io.ts'
import { timers } from '../io/timers.ts'
import { followSupervisorLog } from '../logs/merged-logs.ts'

interface TuiOptions {
  plain?: true
  checkConfig?: true
}

export function tuiCommand(program: Command, context: CommandContext): void {
  program
    .command('tui')
    .description('open the dashboard')
    .option('--plain', 'print lines instead of a screen, for screen readers')
    .addOption(new Option('--check-config', 'check tui.toml and exit').conflicts('plain'))
    .action((options: TuiOptions) => (options.checkConfig ? check(context) : show(context, options)))
}

/** Maximum time a check of a pack may take on the page of the dashboard. */
const CHECK_TIMEOUT_MS = 30_000

/** Opens the dashboard, which is loaded on demand. */
async function show(context: CommandContext, { plain }: TuiOptions): Promise<void> {
  const { io } = context
  if (!plain && (io.width === undefined || !io.isInteractive)) {
    throw failure('the dashboard needs a terminal; gc tui --plain works without one')
  }
  const [{ openDashboard, openPlainDashboard }, city] = await Promise.all([
    import('../../tui/main.ts'),
    chosenCity(context),
  ])
  const options = {
    ...{
      client: context.client,
      timers,
      now: Date.now,
      env: io.env,
      config: readTuiConfig(context),
      attach: attachInPlace,
    },
    ...(city && { city }),
    isFirstRun: isFirstRun(context),
    machine: {
      diagnose: async (named: string) => {
        const { runDoctor } = await import('../doctor/run-checks.ts')
        return runDoctor(context, { city: named, fix: false, timeoutMs: CHECK_TIMEOUT_MS })
      },
      followLog: (signal: AbortSignal) => followSupervisorLog(resolveHome(io.env), signal),
    },
  }
  if (!plain) return openDashboard(options)
  await openPlainDashboard({ ...options, lines: createInterface({ input: process.stdin }) })
  process.stdin.pause()
}

const configPath = ({ io }: CommandContext): string => join(resolveHome(io.env), 'tui.toml')

/** Whether hints were never shown to this person; they count as shown from now on. Where that cannot be noted, they were. */
function isFirstRun({ io }: CommandContext): boolean {
  try {
    writeFileSync(join(resolveHome(io.env), 'tui-hints-shown'), '', { flag: 'wx', mode: 0o600 })
    return true
  } catch {
    return false
  }
}

/** The person's settings; empty where there is no file. */
export function readTuiConfig(context: CommandContext): string {
  const path = configPath(context)
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

async function check(context: CommandContext): Promise<void> {
  const { checkConfig } = await import('../../tui/main.ts')
  const path = configPath(context)
  const problems = checkConfig(readTuiConfig(context))
  for (const { line, column, text } of problems)
    printLine(context.io, `${path}:${line}:${column}: ${sanitizeLine(text)}`)
  if (problems.length > 0) throw new Exit(1)
  printLine(context.io, `${path} is right.`)
}

/** Runs `gc session attach` on this terminal, on a screen of its own, which goes with what it shows; what it said at the end. */
async function attachInPlace(city: string, session: string): Promise<string> {
  process.stdout.write('\x1b[?1049h')
  try {
    const words = [...ownProgram, '--city', city, 'session', 'attach', session]
    const child = Bun.spawn(words, { stdin: 'inherit', stdout: 'inherit', stderr: 'pipe' })
    const [status, said] = await Promise.all([child.exited, child.stderr.text()])
    const text = said.trim().replace(/^gc: /, '')
    if (status !== 0) throw failure(text)
    return text
  } finally {
    process.stdout.write('\x1b[?1049l')
  }
}

/** The city to open with, which the supervisor has; undefined where none is named and there are several. */
async function chosenCity(context: CommandContext): Promise<string | undefined> {
  const city = await context.unambiguousCity()
  if (city !== undefined) await requireCity(context.client, city)
  return city
}

/** Fails for a city that the supervisor does not have; without a supervisor the dashboard reports that itself. */
async function requireCity(client: Client, city: string): Promise<void> {
  const cities = await client.call('GET /v0/cities').catch((error) => {
    if (error instanceof Unreachable) return undefined
    throw error
  })
  if (!cities || cities.items?.some(({ name }) => name === city)) return
  throw notFound('city-not-found', `there is no city ${sanitizeLine(city)}; \`gc cities\` lists valid names`)
}
