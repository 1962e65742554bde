import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { homeOf, supervisorOf } from '../../src/client/home.ts'
import { Unreachable } from '../../src/client/problem.ts'
import type { Here } from '../context/context.ts'
import { count, type Json, withJson } from '../context/options.ts'
import { Exit, failure } from '../io/exit.ts'
import { json, line, rest } from '../io/io.ts'
import { table } from '../io/table.ts'
import { timers } from '../io/timers.ts'

export function serverCommands(program: Command, here: Here): void {
  stopCommand(program, here)
  hostCommand(program, here)
  program
    .command('tui')
    .description('watch cities, agents and work on one screen')
    .action(() => tui(here))
}

interface Stop extends Json {
  keepSessions?: true
  timeout: number
}

function stopCommand(program: Command, here: Here): void {
  withJson(program.command('stop').description('end every session, the session host and the supervisor'))
    .option('--keep-sessions', 'leave the agents running in the session host; the next `gc serve` finds them again')
    .option('--timeout <seconds>', 'how long to wait until all has ended', count, 60)
    .action((options: Stop) => stop(here, options))
}

async function stop(here: Here, options: Stop): Promise<void> {
  const pid = supervisorOf(homeOf(here.io.env))?.pid
  const said = await ask(here, options)
  if (!said) return line(here.io, 'The supervisor was gone already; the agents it left have ended.')
  const late = new AbortController()
  const timer = timers.after(options.timeout * 1000, () => late.abort())
  const signal = AbortSignal.any([here.io.signal, late.signal])
  while (!signal.aborted && (await runs(here, pid))) await rest(50, signal)
  timer.cancel()
  if (late.signal.aborted)
    throw failure(`the supervisor (process ${pid ?? '?'}) has not ended after ${options.timeout} s`)
  if (options.json) return json(here.io, said)
  line(here.io, options.keepSessions ? 'The supervisor has ended; the agents run on.' : 'Everything has ended.')
}

/** Asks the supervisor to end. Where none is left, ends what its host still runs, unless that is to go on. */
async function ask({ client, io }: Here, { keepSessions }: Stop): Promise<{ status: string } | undefined> {
  try {
    return await client.call('POST /v0/stop', { body: { sessions: !keepSessions } })
  } catch (error) {
    if (!(error instanceof Unreachable) || keepSessions || io.env.GC_SESSION_ID) throw error
    const { endLeftHosts } = await import('../../src/host/client/leftover.ts')
    if (await endLeftHosts(homeOf(io.env))) return undefined
    throw failure(`there is nothing to stop: no supervisor answers at ${error.url}`)
  }
}

/** Whether it is still there: its process where we know it, else whoever answers. */
async function runs({ client }: Here, pid: number | undefined): Promise<boolean> {
  if (pid !== undefined) return alive(pid)
  return client.call('GET /health').then(
    () => true,
    (error) => !(error instanceof Unreachable),
  )
}

/** Whether a process runs; one that has ended and that its parent has not looked at yet does not. */
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return true
  }
}

function hostCommand(program: Command, here: Here): void {
  const host = program
    .command('host')
    .description('the process that owns the agents’ terminals; `gc serve` starts it when it is needed')
    .action(() => runAsHost(here))
  withJson(host.command('status').description('show the session hosts that run')).action(async (options: Json) => {
    const hosts = await here.client.call('GET /v0/host')
    if (options.json) return json(here.io, hosts)
    table(
      here.io,
      hosts.items,
      [
        { head: 'PROCESS', of: ({ pid }) => pid },
        { head: 'SESSIONS', of: ({ sessions }) => sessions },
        { head: 'BUILD', of: ({ build }) => build },
      ],
      'No session host runs; the first session starts one.',
    )
  })
}

/** What `gc serve` launches: the session host itself, until it has nothing left to do. */
async function runAsHost({ io }: Here): Promise<void> {
  const { runSessionHost } = await import('../../src/supervisor/session-host.ts')
  const status = await runSessionHost(io.env, (text) => line(io, text))
  if (status !== 0) throw new Exit(status)
}

/** The dashboard: it needs a terminal, and is loaded only here. */
async function tui(here: Here): Promise<void> {
  if (here.io.width === undefined || !here.io.asks) throw failure('the dashboard needs a terminal')
  const { openDashboard } = await import('../../tui/main.tsx')
  const city = await here.clearCity()
  await openDashboard({ client: here.client, timers, now: Date.now, colour: here.io.colour, ...(city && { city }) })
}
