import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { Exit, failure } from '../io/exit.ts'
import { pause, printJson, printLine } from '../io/io.ts'

/** Commands with which an agent's program reports about itself. */
export function runtimeCommands(program: Command, context: CommandContext): void {
  const runtime = program.command('runtime').description('report from inside a session')
  withJson(runtime.command('drain-ack').description('report that this session may end'))
    .argument('[session]', 'session; default is this one')
    .action(async (session: string | undefined, options: JsonOption) => {
      const id = ownSession(context, session)
      const city = await context.city()
      const response = await city.call('POST ~/session/{id}/drain-ack', { params: { id } })
      if (options.json) return printJson(context.io, response)
      printLine(context.io, `Session ${id} will end.`)
    })
  withJson(runtime.command('drain-check').description('exit with 0 if this session should take no new work'))
    .argument('[session]', 'session; default is this one')
    .action((session: string | undefined, options: JsonOption) =>
      drainCheck(context, ownSession(context, session), options),
    )
  withJson(runtime.command('heartbeat').description('report that this session is still working'))
    .option('--duration <time>', 'maximum time without activity', '45m')
    .action((options: JsonOption & { duration: string }) => heartbeat(context, ownSession(context, undefined), options))
  for (const [verb, description, then] of DRAIN_COMMANDS) {
    withJson(runtime.command(verb).description(description))
      .argument('<session>')
      .action(async (id: string, options: JsonOption) => {
        const city = await context.city()
        const response = await city.call(`POST ~/session/{id}/${verb}`, { params: { id } })
        if (options.json) return printJson(context.io, response)
        printLine(context.io, `Session ${id} ${then}.`)
      })
  }
  withJson(runtime.command('request-restart').description('restart this session'))
    .option('--fresh', 'start a new conversation')
    .action((options: JsonOption & { fresh?: true }) =>
      requestRestart(context, ownSession(context, undefined), options),
    )
}

const DRAIN_COMMANDS = [
  ['drain', 'let a session finish its work and end', 'finishes its work and will end'],
  ['undrain', 'stop draining a session', 'continues'],
] as const

/** Time a session waits to be restarted before it reports a failure. */
const RESTART_TIMEOUT_MS = 60_000

/** Does not return on success, since the calling program is ended. */
async function requestRestart(
  context: CommandContext,
  id: string,
  options: JsonOption & { fresh?: true },
): Promise<void> {
  const city = await context.city()
  const body = { ...(options.fresh && { fresh: true }) }
  const response = await city.call('POST ~/session/{id}/restart', { params: { id }, body })
  if (options.json) printJson(context.io, response)
  await pause(RESTART_TIMEOUT_MS, context.io.signal)
  throw failure(`session ${id} was not restarted within ${RESTART_TIMEOUT_MS / 1000} s`)
}

function ownSession({ io }: CommandContext, session: string | undefined): string {
  const id = session ?? io.env.GC_SESSION_ID
  if (!id) throw failure('name a session, or run this inside one')
  return id
}

async function drainCheck(context: CommandContext, id: string, options: JsonOption): Promise<void> {
  const city = await context.city()
  const { state } = await city.call('GET ~/session/{id}', { params: { id } })
  const draining = state === 'draining'
  if (options.json) printJson(context.io, { session_id: id, draining })
  if (!draining) throw new Exit(1)
}

async function heartbeat(
  context: CommandContext,
  id: string,
  options: JsonOption & { duration: string },
): Promise<void> {
  const city = await context.city()
  await city.call('POST ~/session/{id}/heartbeat', { params: { id }, body: { duration: options.duration } })
  const { items } = await city.call('GET ~/claims', { query: { session: id } })
  const renewed = await Promise.all(
    items.map(({ bead_id }) => city.call('POST ~/bead/{id}/heartbeat', { params: { id: bead_id } })),
  )
  if (options.json) return printJson(context.io, renewed)
  printLine(
    context.io,
    renewed.length === 0
      ? 'Recorded; this session has no claims.'
      : `Recorded for ${renewed.map((each) => each.bead_id).join(', ')}.`,
  )
}
