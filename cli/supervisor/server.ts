import type { Command } from 'commander'
import { OtherSupervisor, Unreachable } from '../../src/client/errors.ts'
import { readSupervisorFile, resolveHome } from '../../src/client/home.ts'
import { isAlive } from '../../src/client/process.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, parseDurationOption, withJson } from '../context/options.ts'
import { renderAllLive, type WatchOption, withWatch } from '../context/watch.ts'
import { Exit, failure } from '../io/exit.ts'
import { type Io, pause, printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'
import { timers } from '../io/timers.ts'
import { printRemaining } from '../session/sweep.ts'
import { tuiCommand } from '../tui/tui.ts'

export function serverCommands(program: Command, context: CommandContext): void {
  defineDown(program.command('down'), context)
  hostCommand(program, context)
  const dashboard = program.command('dashboard').description('print the address of the supervisor')
  for (const command of [dashboard, dashboard.command('serve').description('same as `gc dashboard`')]) {
    command
      .option('--no-open', 'accepted: nothing is opened')
      .option('--api <url>', 'accepted')
      .option('--port <port>', 'accepted: the supervisor answers at one address')
      .action(() =>
        printLine(context.io, `${context.client.access.url}/docs shows the API; \`gc tui\` is the dashboard.`),
      )
  }
  tuiCommand(program, context)
}

interface Down extends JsonOption {
  keepSessions?: true
  timeout: number
}

/** Defines the command that ends everything. No session may call it. */
export function defineDown(command: Command, context: CommandContext): void {
  withJson(command.description('stop every session, the host and the supervisor'))
    .option('--keep-sessions', 'leave agents running; the next `gc serve` adopts them')
    .option('--timeout <duration>', 'timeout, such as 30s or 5m', parseDurationOption, 60_000)
    .action((options: Down) => down(context, options))
}

async function down(context: CommandContext, options: Down): Promise<void> {
  const pid = readSupervisorFile(resolveHome(context.io.env))?.pid
  const response = await requestStop(context, options)
  if (!response) {
    printLine(context.io, 'No supervisor was running; the agents it left have ended.')
    return printRemaining(context.io)
  }
  const late = new AbortController()
  const timer = timers.after(options.timeout, () => late.abort())
  const signal = AbortSignal.any([context.io.signal, late.signal])
  while (!signal.aborted && (await isRunning(context, pid))) await pause(50, signal)
  timer.cancel()
  if (late.signal.aborted)
    throw failure(`the supervisor (process ${pid ?? '?'}) has not stopped after ${options.timeout / 1000} s`)
  if (options.json) return printJson(context.io, response)
  if (options.keepSessions) return printLine(context.io, 'The supervisor has stopped; the agents keep running.')
  printLine(context.io, 'Everything has stopped.')
  await printRemaining(context.io)
}

/** Requests the supervisor to stop. If there is none, ends the sessions of its host, except with `--keep-sessions`. */
async function requestStop(
  { client, io }: CommandContext,
  { keepSessions }: Down,
): Promise<{ status: string } | undefined> {
  try {
    return await client.call('POST /v0/stop', { body: { sessions: !keepSessions } })
  } catch (error) {
    if (!(error instanceof Unreachable) || keepSessions || io.env.GC_SESSION_ID) throw error
    const { endRunningHosts: endLeftHosts } = await import('../../src/host/client/end-running-hosts.ts')
    if (await endLeftHosts(resolveHome(io.env))) return undefined
    if (error instanceof OtherSupervisor) throw error
    throw failure(`nothing to stop: no supervisor answers at ${error.url}`)
  }
}

/** True if the supervisor still runs: by its process id if known, else by its health. */
async function isRunning({ client }: CommandContext, pid: number | undefined): Promise<boolean> {
  if (pid !== undefined) return isAlive(pid)
  return client.call('GET /health').then(
    () => true,
    (error) => !(error instanceof Unreachable),
  )
}

function hostCommand(program: Command, context: CommandContext): void {
  const host = program
    .command('host')
    .description('run the host that owns terminals; `gc serve` starts it')
    .action(() => runAsHost(context))
  const shown = withWatch(withJson(host.command('status').description('show the running session hosts')))
  shown.action((options: JsonOption & WatchOption) =>
    renderAllLive(context, options, (io) => printHosts(context, io, options)),
  )
}

async function printHosts({ client }: CommandContext, io: Io, options: JsonOption): Promise<void> {
  const hosts = await client.call('GET /v0/host')
  if (options.json) return printJson(io, hosts)
  printTable(
    io,
    hosts.items,
    [
      { header: 'PROCESS', value: ({ pid }) => pid },
      { header: 'SESSIONS', value: ({ sessions }) => sessions },
      { header: 'BUILD', value: ({ build }) => build },
    ],
    'No session host is running; the first session starts one.',
  )
}

/** Runs the session host until it has no sessions; `gc serve` launches it. */
async function runAsHost({ io }: CommandContext): Promise<void> {
  const { runHost } = await import('../host.ts')
  const status = await runHost(io.env)
  if (status !== 0) throw new Exit(status)
}
