import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import { paint, sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { parseDate } from '../context/dates.ts'
import { oldSpelling, parseCount } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { type Io, pause, printLine } from '../io/io.ts'
import type { LogLine } from './log-tail.ts'
import { Logs } from './merged-logs.ts'
import { findLogs, type LogOwner } from './sources.ts'

interface LogsOptions {
  lines?: number
  since?: number
  follow?: true
  sessionHost?: true
}

const DEFAULT_LINES = 50
const STEP_MS = 250

/** Reason there is no log, and the command that starts one. */
const MISSING: Readonly<Record<LogOwner, string>> = {
  supervisor: 'a supervisor writes one when it starts, and `gc serve --log` another file',
  host: 'the session host writes one, and the first session starts it',
}

export function logsCommand(program: Command, context: CommandContext): void {
  withLogOptions(program.command('logs'))
    .description('show the logs of the supervisor and the host')
    .option('--session-host', 'only the log of the session host')
    .addOption(oldSpelling('--host', 'sessionHost'))
    .action((options: LogsOptions) =>
      showLogs(context.io, options.sessionHost ? ['host'] : ['supervisor', 'host'], options, ({ source, text }) =>
        labelled(context.io, source, text),
      ),
    )
}

/** Defines the command that shows the log of the supervisor alone, as it was written. */
export function defineSupervisorLogs(command: Command, context: CommandContext): void {
  withLogOptions(command)
    .description('show the log of a supervisor that runs in the background')
    .action((options: LogsOptions) => showLogs(context.io, ['supervisor'], options, ({ text }) => sanitizeLine(text)))
}

const withLogOptions = (command: Command): Command =>
  command
    .option('-n, --lines <n>', `number of last lines; default is ${DEFAULT_LINES}, with --since all`, parseCount)
    .option('--since <time>', 'since a date, or an age such as 10m or 2d', parseDate)
    .option('-f, --follow', 'follow new entries until ctrl-c')

const labelled = (io: Io, source: string, text: string): string =>
  `${paint(sanitizeLine(source).padEnd('supervisor'.length), 'dim', io.colour)}  ${sanitizeLine(text)}`

async function showLogs(
  io: Io,
  owners: readonly LogOwner[],
  { lines, since, follow }: LogsOptions,
  format: (line: LogLine) => string,
): Promise<void> {
  const home = resolveHome(io.env)
  if ((await findLogs(home, owners)).length === 0) {
    throw failure(`there is no log in ${home}: ${owners.map((owner) => MISSING[owner]).join('; ')}`)
  }
  const logs = new Logs(home, owners)
  const print = (added: LogLine[]) => {
    for (const line of added) printLine(io, format(line))
  }
  const kept = await logs.kept()
  const recent = since === undefined ? kept : kept.filter(({ at }) => at >= since)
  const count = lines ?? (since === undefined ? DEFAULT_LINES : recent.length)
  print(recent.slice(Math.max(0, recent.length - count)))
  if (!follow) {
    if (recent.length === 0) io.err(`gc: nothing was logged ${since === undefined ? 'yet' : 'since then'}\n`)
    return
  }
  while (!io.signal.aborted) {
    await pause(STEP_MS, io.signal)
    print(await logs.added())
  }
}
