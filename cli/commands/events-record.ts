import type { Command } from 'commander'
import { plain } from '../../src/client/text.ts'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { json, line } from '../io/io.ts'

interface Emit extends Json {
  actor?: string
  subject?: string
  message?: string
}

/**
 * What adds to the log, or puts its past away. Options that `gc events` has too are taken by it wherever they stand, so
 * these read theirs together with those.
 */
export function recordCommands(events: Command, here: Here): void {
  withJson(events.command('emit').description('record an event of your own'))
    .argument('<type>', 'a dotted name, such as deploy.finished; those that gc records itself are its own')
    .option('--subject <text>', 'what it is about: an id or a name')
    .option('--message <text>', 'what happened, in words')
    .option('--actor <name>', 'who did it; inside a session, one of its own names')
    .action((type: string, _: Emit, command: Command) => emit(here, type, command.optsWithGlobals()))
  withJson(events.command('rotate').description('put the events so far into an archive; lists do not notice'))
    .option('--wait', 'until the archive is written')
    .action((_: Json, command: Command) => rotate(here, command.optsWithGlobals()))
}

async function emit(here: Here, type: string, { actor, subject, message, json: asJson }: Emit): Promise<void> {
  const city = await here.city()
  const body = {
    type,
    actor: actor ?? speakerOf(here),
    ...(subject !== undefined && { subject }),
    ...(message !== undefined && { message }),
  }
  const said = await city.call('POST ~/events', { body })
  if (asJson) return json(here.io, said)
  line(here.io, `Recorded ${plain(type)}.`)
}

/** Who speaks when nobody is named: the session, else a person. */
function speakerOf({ io }: Here): string {
  const { GC_ALIAS, GC_AGENT, GC_SESSION_ID } = io.env
  return GC_ALIAS || GC_SESSION_ID || GC_AGENT || 'human'
}

async function rotate(here: Here, { wait, json: asJson }: Json & { wait?: true }): Promise<void> {
  const city = await here.city()
  const said = await city.call('POST ~/events/rotate', { query: { wait } })
  if (asJson) return json(here.io, said)
  const { archive, reason } = said
  if (!archive) return line(here.io, `Nothing to put away: ${reason ?? 'there is no event'}.`)
  const still = archive.compression_status === 'complete' ? 'are' : 'are being put'
  line(here.io, `Events ${archive.first_seq} to ${archive.last_seq} ${still} in ${archive.path}.`)
}
