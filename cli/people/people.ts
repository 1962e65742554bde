import { formatAge, sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { renderAllLive, type WatchOption } from '../context/watch.ts'
import { failure } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'

/** Help for each grant. */
const GRANTS = { answer: 'answers questions', review: 'reviews changes', land: 'lands changes' } as const
type Grant = keyof typeof GRANTS

const isGrant = (text: string): text is Grant => Object.hasOwn(GRANTS, text)

export interface AddPersonOptions extends JsonOption {
  grant?: string[]
}

export async function addPerson(
  context: CommandContext,
  name: string,
  { grant: wanted = [], json }: AddPersonOptions,
): Promise<void> {
  const { io } = context
  const unknown = wanted.find((grant) => !isGrant(grant))
  if (unknown !== undefined)
    throw failure(`there is no grant ${unknown}; give some of ${Object.keys(GRANTS).join(', ')}`)
  const supervisor = await context.supervisor()
  const added = await supervisor.call('POST /v0/people', { body: { name, grants: wanted.filter(isGrant) } })
  if (json) return printJson(io, added)
  printLine(io, `${added.name} ${deedsOf(added.grants)}. The token is shown this once:`)
  printLine(io, added.token)
}

const deedsOf = (grants: readonly string[]): string =>
  ['reads everything', ...grants.filter(isGrant).map((grant) => GRANTS[grant])].join(', ')

export const listPeople = (context: CommandContext, options: JsonOption & WatchOption): Promise<void> =>
  renderAllLive(context, options, (io) => list(context, io, options))

async function list({ client }: CommandContext, io: Io, { json }: JsonOption): Promise<void> {
  const listed = await client.call('GET /v0/people')
  if (json) return printJson(io, listed)
  const now = Date.now()
  printTable(
    io,
    listed.items,
    [
      { header: 'PERSON', value: ({ name }) => name },
      { header: 'GRANTS', value: ({ grants }) => grants.join(', ') || '–' },
      { header: 'ADDED', value: ({ added_at }) => formatAge(added_at, now) },
    ],
    'No one else has a token; gc people add creates one.',
  )
}

export async function removePerson(context: CommandContext, name: string, { json }: JsonOption): Promise<void> {
  const supervisor = await context.supervisor()
  const removed = await supervisor.call('DELETE /v0/people/{name}', { params: { name } })
  if (json) return printJson(context.io, removed)
  printLine(context.io, `The token of ${sanitizeLine(name)} is revoked.`)
}
