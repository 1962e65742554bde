import type { Command } from 'commander'
import { parseJson } from '../../src/client/json.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'

interface Emit extends JsonOption {
  actor?: string
  subject?: string
  message?: string
  payload?: string
}

/**
 * Commands that record and archive events. `gc events` also parses those of their options that it has itself, so they
 * read both together.
 */
export function recordCommands(events: Command, context: CommandContext): void {
  withJson(events.command('emit').description('record a custom event'))
    .argument('<type>', 'dotted name, such as deploy.finished; not a type of gc')
    .option('--subject <text>', 'subject: an id or a name')
    .option('--message <text>', 'message of the event')
    .option('--payload <json>', 'JSON value; used as the message if there is none')
    .option('--actor <name>', 'actor; in a session, one of its own names')
    .action((type: string, _: Emit, command: Command) => emit(context, type, command.optsWithGlobals()))
  withJson(events.command('rotate').description('archive old events; lists still include them'))
    .option('--wait', 'wait until the archive is complete')
    .action((_: JsonOption, command: Command) => rotate(context, command.optsWithGlobals()))
}

async function emit(context: CommandContext, type: string, options: Emit): Promise<void> {
  const { actor, subject, payload, json } = options
  if (payload !== undefined && parseJson(payload) === undefined) throw usageError(`--payload is not JSON: ${payload}`)
  const message = options.message ?? payload
  const city = await context.city()
  const body = {
    type,
    actor: actor ?? defaultActor(context),
    ...(subject !== undefined && { subject }),
    ...(message !== undefined && { message }),
  }
  const response = await city.call('POST ~/events', { body })
  if (json) return printJson(context.io, response)
  printLine(context.io, `Recorded ${sanitizeLine(type)}.`)
}

/** The actor without `--actor`: the session, else `human`. */
function defaultActor({ io }: CommandContext): string {
  const { GC_ALIAS, GC_AGENT, GC_SESSION_ID } = io.env
  return GC_ALIAS || GC_SESSION_ID || GC_AGENT || 'human'
}

async function rotate(context: CommandContext, { wait, json }: JsonOption & { wait?: true }): Promise<void> {
  const city = await context.city()
  const response = await city.call('POST ~/events/rotate', { query: { wait } })
  if (json) return printJson(context.io, response)
  const { archive, reason } = response
  if (!archive) return printLine(context.io, `Nothing to archive: ${reason ?? 'there are no events'}.`)
  const still = archive.compression_status === 'complete' ? 'are' : 'are being put'
  printLine(context.io, `Events ${archive.first_seq} to ${archive.last_seq} ${still} in ${archive.path}.`)
}
