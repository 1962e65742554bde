import type { Command } from 'commander'
import { isRecord, parseJson } from '../../src/client/json.ts'
import { sanitizeLines } from '../../src/client/text.ts'
import type { BeadEntry } from '../../src/work/beads/index.ts'
import type { CommandContext } from '../context/context.ts'
import { collectList, collectPair, type JsonOption, parsePriority, withJson } from '../context/options.ts'
import { failure, usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { createBead } from './create.ts'
import { parseStatus } from './status.ts'

interface Create extends JsonOption {
  description?: string
  type?: string
  priority?: number
  assignee?: string
  label?: string[]
  metadata?: Record<string, string>
  parent?: string
  rig?: string
  file?: string
  needs?: string[]
  deferUntil?: string
}

interface Update extends Create {
  title?: string
  status?: string
  removeLabel?: string[]
}

export function createCommand(bead: Command, context: CommandContext): void {
  withJson(withFields(bead.command('create').description('create a bead, or many from a file')))
    .argument('[title]')
    .option('--rig <rig>', 'rig of the bead')
    .option('--needs <beads>', 'beads it depends on, separated by commas; may be repeated', collectList)
    .option('--defer-until <moment>', 'defer until this time, such as 2030-01-31T09:00:00Z')
    .option('--file <file>', 'create all beads of a JSON Lines file; `-` for standard input')
    .addHelpText('after', FILE_HELP)
    .action((title: string | undefined, options: Create) =>
      options.file === undefined ? create(context, title, options) : createAll(context, title, options.file, options),
    )
}

const FILE_HELP = `
A line of --file is a bead: {"title": "Ship", "name": "ship", "needs": ["build"], "parent": "release"}. Lines may name
each other in "needs" and "parent"; a rig, type, priority or label given here is for those that have none of their own.`

async function create(context: CommandContext, title: string | undefined, options: Create): Promise<void> {
  if (title === undefined) throw usageError('give a title or a --file')
  const city = await context.city()
  const rig = await context.rig(city, options.rig)
  const { needs, deferUntil } = options
  const body = { title, ...(rig && { rig }), ...(deferUntil && { defer_until: deferUntil }), ...sharedFields(options) }
  const created = await createBead(city, { ...body, ...(needs && { needs }) })
  if (options.json) return printJson(context.io, created)
  printLine(context.io, `Created ${created.id}: ${sanitizeLines(created.title)}`)
}

async function createAll(
  context: CommandContext,
  title: string | undefined,
  file: string,
  options: Create,
): Promise<void> {
  if (title !== undefined) throw usageError('give a title or a --file, not both')
  const lines = parseEntries(await context.readFile(file))
  const city = await context.city()
  const rig = await context.rig(city, options.rig)
  const beads = lines.map((entry) => ({ ...(rig && { rig }), ...sharedFields(options), ...entry }) as BeadEntry)
  const created = await city.call('POST ~/beads/bulk', { body: { beads } })
  if (options.json) return printJson(context.io, created)
  for (const { id, title } of created.beads) printLine(context.io, `Created ${id}: ${sanitizeLines(title)}`)
}

/** Parses the lines of a file as objects; the server validates them. */
function parseEntries(text: string): Record<string, unknown>[] {
  const lines = text.split('\n').flatMap((each, at) => (each.trim() === '' ? [] : [{ each, at }]))
  if (lines.length === 0)
    throw usageError('the file is empty; write one bead a line, such as {"title": "Paint the door"}')
  return lines.map(({ each, at }) => {
    const entry = parseJson(each)
    if (!isRecord(entry)) throw failure(`line ${at + 1} is not a JSON object`)
    return entry
  })
}

export function updateCommand(bead: Command, context: CommandContext): void {
  withJson(withFields(bead.command('update').description('change beads, all or none')))
    .argument('<beads...>')
    .option('--title <title>', 'new title')
    .option('--status <status>', 'open, in_progress or closed', parseStatus)
    .option('--remove-label <label>', 'label to remove; may be repeated', collectList)
    .action((ids: string[], options: Update) => update(context, ids, options))
}

async function update(context: CommandContext, ids: readonly string[], options: Update): Promise<void> {
  const { title, status, removeLabel } = options
  const body = {
    ...sharedFields(options),
    ...(title !== undefined && { title }),
    ...(status !== undefined && { status }),
    ...(removeLabel && { remove_labels: removeLabel }),
  }
  if (Object.keys(body).length === 0)
    throw usageError('give at least one change, such as --priority 1 or --status closed')
  const city = await context.city()
  const [id = '', ...more] = ids
  const response =
    more.length === 0
      ? await city.call('PATCH ~/bead/{id}', { params: { id }, body })
      : await city.call('PATCH ~/beads/bulk', { body: { updates: ids.map((each) => ({ id: each, ...body })) } })
  if (options.json) return printJson(context.io, response)
  for (const each of ids) printLine(context.io, `Updated ${each}.`)
}

const withFields = (command: Command): Command =>
  command
    .option('--description <text>', 'full description')
    .option('--type <type>', 'type, such as task, bug, feature, chore or epic')
    .option('--priority <level>', '0 to 4; 0 is the most urgent', parsePriority)
    .option('--assignee <who>', 'session: id, alias or name')
    .option('--label <label>', 'add a label; may be repeated', collectList)
    .option('--metadata <key=value>', 'metadata; may be repeated', collectPair)
    .option('--parent <bead>', 'parent bead')

/** The given fields of those that create and update share. */
function sharedFields({ description, type, priority: level, assignee, label, metadata, parent }: Create) {
  return {
    ...(description !== undefined && { description }),
    ...(type !== undefined && { type }),
    ...(level !== undefined && { priority: level }),
    ...(assignee !== undefined && { assignee }),
    ...(label && { labels: label }),
    ...(metadata && { metadata }),
    ...(parent !== undefined && { parent }),
  }
}
