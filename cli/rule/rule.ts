import { formatAge, formatTime, sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'

export interface AddOptions extends JsonOption {
  allow?: string
  read?: string
  write?: string
  fetch?: string
  tool?: string
  question?: string
  rig?: string
  agent?: string
  for?: number
  unconfined?: true
}

const KINDS = ['read', 'write', 'fetch', 'tool'] as const

export async function addRule(context: CommandContext, options: AddOptions): Promise<void> {
  const named = KINDS.flatMap((kind) => (options[kind] === undefined ? [] : [{ kind, value: options[kind] }]))
  const drafts = [
    ...named,
    ...(options.allow === undefined ? [] : [{ kind: 'command' as const, value: options.allow }]),
  ]
  const question = options.question === undefined ? undefined : `question:${options.question.replace(/^question:/, '')}`
  const [draft] = drafts
  if (drafts.length + (question === undefined ? 0 : 1) !== 1)
    throw failure('name one thing to allow: --allow, --read, --write, --fetch, --tool or --question')
  const city = await context.city()
  const { rig, agent, unconfined } = options
  const added = await city.call('POST ~/rules', {
    body: {
      ...draft,
      ...(question !== undefined && { question }),
      ...(rig !== undefined && { rig }),
      ...(agent !== undefined && { agent }),
      ...(unconfined && { unconfined }),
      ...(options.for !== undefined && { until: new Date(Date.now() + options.for).toISOString() }),
    },
  })
  if (options.json) return printJson(context.io, added)
  const end = added.until === undefined ? '' : ` until ${formatTime(added.until, Date.now())}`
  printLine(context.io, `Rule ${added.id} allows ${describe(added)}${end}.`)
  if (added.warning !== undefined) printLine(context.io, added.warning)
  if (!added.unconfined) printLine(context.io, 'It is for sandboxed sessions only; --unconfined includes the others.')
}

interface Described {
  kind: string
  value: string
  rig?: string
  agent?: string
}

const describe = ({ kind, value, rig, agent }: Described): string =>
  sanitizeLine(
    `${kind} ${value}${rig === undefined ? '' : ` in rig ${rig}`}${agent === undefined ? '' : ` for ${agent}`}`,
  )

export async function listRules(context: CommandContext, { json }: JsonOption): Promise<void> {
  const { io } = context
  const listed = await (await context.city()).call('GET ~/rules')
  if (json) return printJson(io, listed)
  const now = Date.now()
  printTable(
    io,
    listed.items,
    [
      { header: 'RULE', value: ({ id }) => id },
      { header: 'ALLOWS', value: (rule) => describe(rule) },
      { header: 'SESSIONS', value: ({ unconfined }) => (unconfined ? 'all' : 'sandboxed') },
      { header: 'USES', value: ({ uses }) => String(uses) },
      { header: 'LAST', value: ({ last_used_at: last }) => (last === undefined ? '–' : formatAge(last, now)) },
      { header: 'UNTIL', value: ({ until, expired }) => (expired ? 'expired' : until ? formatTime(until, now) : '–') },
    ],
    'There are no rules.',
  )
  for (const { id, void: voided } of listed.items) {
    for (const { session, files } of voided) {
      const changed = sanitizeLine(files.join(', '))
      printLine(io, `${id} is void for ${session}, which changed ${changed}: gc rule review ${id} ${session}`)
    }
  }
  if (listed.problem !== undefined) io.err(`${sanitizeLine(listed.problem)}\n`)
}

export async function removeRule(context: CommandContext, id: string, { json }: JsonOption): Promise<void> {
  const removed = await (await context.city()).call('DELETE ~/rule/{id}', { params: { id } })
  if (json) return printJson(context.io, removed)
  printLine(context.io, `Rule ${sanitizeLine(id)} is removed.`)
}

const FLAGS: Readonly<Record<string, string>> = { command: 'allow' }

export async function suggestRules(context: CommandContext, { json }: JsonOption): Promise<void> {
  const listed = await (await context.city()).call('GET ~/rules/suggestions')
  if (json) return printJson(context.io, listed)
  for (const { kind, value, agent, times } of listed.items) {
    const quoted = `'${sanitizeLine(value).replaceAll("'", `'\\''`)}'`
    printLine(
      context.io,
      `allowed ${times} times: gc rule add --${FLAGS[kind] ?? kind} ${quoted} --agent ${sanitizeLine(agent)}`,
    )
  }
  if (listed.items.length === 0) printLine(context.io, 'Nothing was allowed ten times in a row that could be a rule.')
}

export async function reviewRule(
  context: CommandContext,
  id: string,
  session: string,
  { accept, json }: JsonOption & { accept?: string },
): Promise<void> {
  const { io } = context
  const city = await context.city()
  if (accept !== undefined) {
    const body = { session, digest: accept }
    const reviewed = await city.call('POST ~/rule/{id}/review', { params: { id }, body })
    if (json) return printJson(io, reviewed)
    return printLine(io, `Rule ${reviewed.id} applies again with these files.`)
  }
  const shown = await city.call('GET ~/rule/{id}/files/{session}', { params: { id, session } })
  if (json) return printJson(io, shown)
  for (const { name, state, reviewed, text } of shown.files) {
    if (reviewed) continue
    printLine(io, `${sanitizeLine(name)}: ${state}`)
    if (text !== undefined) printLine(io, sanitizeLines(text).replace(/^/gm, '  '))
  }
  if (shown.files.every(({ reviewed }) => reviewed)) return printLine(io, 'You have seen all files that it depends on.')
  printLine(io, `If they may run: gc rule review ${sanitizeLine(id)} ${sanitizeLine(session)} --accept ${shown.digest}`)
}
