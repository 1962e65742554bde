import type { Command } from 'commander'
import type { EventActor } from '../../src/city/events/schema.ts'
import { isRecord } from '../../src/client/json.ts'
import type { CityEvent } from '../../src/client/operations.ts'
import { paint, sanitizeLine, truncate } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, parseCount, withJson } from '../context/options.ts'
import { type Io, printJson, printLine } from '../io/io.ts'

export function historyCommand(bead: Command, context: CommandContext): void {
  withJson(bead.command('history').description('show the history of a bead, newest first'))
    .argument('<bead>')
    .option('--limit <n>', 'the maximum number', parseCount, 50)
    .action((id: string, options: JsonOption & { limit: number }) => history(context, id, options))
}

async function history(
  context: CommandContext,
  id: string,
  { limit, json }: JsonOption & { limit: number },
): Promise<void> {
  const city = await context.city()
  const page = await city.call('GET ~/bead/{id}/history', { params: { id }, query: { limit } })
  if (json) return printJson(context.io, page)
  for (const [at, event] of page.items.entries())
    print(context.io, event, page.items.slice(at + 1).find(hasBead), page.actors[String(event.seq)])
  if (page.next_cursor) printLine(context.io, `Showing the newest ${page.items.length}; --limit shows more.`)
}

/** Who did it: `by worker-mi-12 (agent worker, on mi-7)`. */
function formatActor({ actor }: CityEvent, more: EventActor | undefined): string {
  const details = [
    more?.agent && `agent ${more.agent}`,
    more?.bead && `on ${more.bead}`,
    more?.label && `as ${more.label}`,
  ]
  const shown = details.filter(Boolean).join(', ')
  return `by ${actor}${shown && ` (${shown})`}`
}

const hasBead = (event: CityEvent): boolean => beadOf(event) !== undefined

function print(io: Io, event: CityEvent, before: CityEvent | undefined, actor: EventActor | undefined): void {
  const when = new Date(event.ts).toLocaleString('sv-SE')
  const type = sanitizeLine(event.type).padEnd(16)
  const what = sanitizeLine(
    [...changesSince(before && beadOf(before), event), event.message ?? '', formatActor(event, actor)]
      .filter(Boolean)
      .join(', '),
  )
  const room = io.width === undefined ? what : truncate(what, Math.max(10, io.width - when.length - type.length - 4))
  printLine(io, `${paint(when, 'dim', io.colour)}  ${paint(type, 'cyan', io.colour)}  ${room}`.trimEnd())
}

function beadOf({ payload }: CityEvent): Record<string, unknown> | undefined {
  return isRecord(payload) && isRecord(payload.bead) ? payload.bead : undefined
}

/** What an event changed compared with the one before, in words. */
function changesSince(before: Record<string, unknown> | undefined, event: CityEvent): string[] {
  const after = beadOf(event)
  if (!after)
    return isRecord(event.payload) && isRecord(event.payload.comment) ? [formatComment(event.payload.comment)] : []
  if (event.type === 'bead.created' || !before) return [`“${after.title}”`, `status ${after.status}`]
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) => (IGNORED_FIELDS.has(name) ? [] : formatChange(name, before[name], after[name])))
}

/** Fields whose changes are not worth showing. */
const IGNORED_FIELDS = new Set(['updated_at', 'is_blocked'])

function formatChange(name: string, before: unknown, after: unknown): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (name === 'description') return ['description changed']
  if (name === 'dependencies') return ['dependencies changed']
  if (name !== 'metadata') return [`${name} ${formatValue(before)} → ${formatValue(after)}`]
  const [old, now] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((key) =>
    formatChange(key, old[key], now[key]),
  )
}

const formatValue = (value: unknown): string => {
  if (value === undefined || value === '') return 'none'
  return Array.isArray(value) ? value.join(' ') : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const formatComment = ({ author, text }: Record<string, unknown>): string => `${author}: ${text}`
