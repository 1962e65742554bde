import type { Command } from 'commander'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { Exit, failure } from '../io/exit.ts'
import { json, line, rest } from '../io/io.ts'

/** What an agent's program tells about itself, from inside its session. */
export function runtimeCommands(program: Command, here: Here): void {
  const runtime = program.command('runtime').description('what an agent says about itself, inside its session')
  withJson(runtime.command('drain-ack').description('say that this session has nothing left to do and may end'))
    .argument('[session]', 'this session, unless said otherwise')
    .action(async (session: string | undefined, options: Json) => {
      const id = own(here, session)
      const city = await here.city()
      const said = await city.call('POST ~/session/{id}/drain-ack', { params: { id } })
      if (options.json) return json(here.io, said)
      line(here.io, `Session ${id} will end.`)
    })
  withJson(runtime.command('drain-check').description('status 0 when this session is to take no new work, else 1'))
    .argument('[session]', 'this session, unless said otherwise')
    .action((session: string | undefined, options: Json) => drainCheck(here, own(here, session), options))
  withJson(runtime.command('heartbeat').description('say that this session still works on what it has'))
    .option('--duration <time>', 'how long nothing may be seen of that', '45m')
    .action((options: Json & { duration: string }) => heartbeat(here, own(here, undefined), options))
  for (const [verb, description, then] of DRAINS) {
    withJson(runtime.command(verb).description(description))
      .argument('<session>')
      .action(async (id: string, options: Json) => {
        const city = await here.city()
        const said = await city.call(`POST ~/session/{id}/${verb}`, { params: { id } })
        if (options.json) return json(here.io, said)
        line(here.io, `Session ${id} ${then}.`)
      })
  }
  withJson(runtime.command('request-restart').description('ask that this session is ended and started again'))
    .option('--fresh', 'with a new conversation')
    .action((options: Json & { fresh?: true }) => requestRestart(here, own(here, undefined), options))
}

const DRAINS = [
  ['drain', 'let a session finish what it has and end; it takes no new work', 'takes no new work and will end'],
  ['undrain', 'let a draining session go on', 'goes on'],
] as const

/** How long a session waits to be ended before it says that this did not happen. */
const RESTART_MS = 60_000

/** Does not come back when it works: the caller is part of what is ended. */
async function requestRestart(here: Here, id: string, options: Json & { fresh?: true }): Promise<void> {
  const city = await here.city()
  const body = { ...(options.fresh && { fresh: true }) }
  const said = await city.call('POST ~/session/{id}/restart', { params: { id }, body })
  if (options.json) json(here.io, said)
  await rest(RESTART_MS, here.io.signal)
  throw failure(`session ${id} was not restarted within ${RESTART_MS / 1000} s`)
}

function own({ io }: Here, told: string | undefined): string {
  const id = told ?? io.env.GC_SESSION_ID
  if (!id) throw failure('say which session, or run this inside one')
  return id
}

async function drainCheck(here: Here, id: string, options: Json): Promise<void> {
  const city = await here.city()
  const { state } = await city.call('GET ~/session/{id}', { params: { id } })
  const draining = state === 'draining'
  if (options.json) json(here.io, { session_id: id, draining })
  if (!draining) throw new Exit(1)
}

async function heartbeat(here: Here, id: string, options: Json & { duration: string }): Promise<void> {
  const city = await here.city()
  await city.call('POST ~/session/{id}/heartbeat', { params: { id }, body: { duration: options.duration } })
  const { items } = await city.call('GET ~/claims', { query: { session: id } })
  const kept = await Promise.all(
    items.map(({ bead_id }) => city.call('POST ~/bead/{id}/heartbeat', { params: { id: bead_id } })),
  )
  if (options.json) return json(here.io, kept)
  line(
    here.io,
    kept.length === 0
      ? 'Noted; nothing is claimed.'
      : `Still at work on ${kept.map((each) => each.bead_id).join(', ')}.`,
  )
}
