import type { Command } from 'commander'
import { isRecord, parsed } from '../../src/client/problem.ts'
import { plainLines } from '../../src/client/text.ts'
import type { BeadEntry } from '../../src/work/beads/bulk-schema.ts'
import type { Here } from '../context/context.ts'
import { createNeeding } from '../context/create.ts'
import { type Json, pair, priority, several, withJson } from '../context/options.ts'
import { failure, misuse } from '../io/exit.ts'
import { json, line } from '../io/io.ts'

interface Create extends Json {
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

export function createCommand(bead: Command, here: Here): void {
  withJson(fields(bead.command('create').description('put work on record: one bead, or many from a file')))
    .argument('[title]')
    .option('--rig <rig>', 'the rig it belongs to')
    .option('--needs <beads>', 'what has to be closed before it; separated by commas, may be repeated', several)
    .option('--defer-until <moment>', 'not ready before this, such as 2030-01-31T09:00:00Z')
    .option('--file <file>', 'beads as JSON lines, all or none; `-` for standard input')
    .addHelpText('after', FILE)
    .action((title: string | undefined, options: Create) =>
      options.file === undefined ? create(here, title, options) : createAll(here, title, options.file, options),
    )
}

const FILE = `
A line of --file is a bead: {"title": "Ship", "name": "ship", "needs": ["build"], "parent": "release"}. Lines may name
each other in "needs" and "parent"; a rig, type, priority or label given here is for those that have none of their own.`

async function create(here: Here, title: string | undefined, options: Create): Promise<void> {
  if (title === undefined) throw misuse('say what the work is called, or give a --file')
  const city = await here.city()
  const rig = await here.rig(city, options.rig)
  const { needs, deferUntil } = options
  const body = { title, ...(rig && { rig }), ...(deferUntil && { defer_until: deferUntil }), ...changed(options) }
  const made = await createNeeding(city, { ...body, ...(needs && { needs }) })
  if (options.json) return json(here.io, made)
  line(here.io, `Created ${made.id}: ${plainLines(made.title)}`)
}

async function createAll(here: Here, title: string | undefined, file: string, options: Create): Promise<void> {
  if (title !== undefined) throw misuse('give a title or a --file, not both')
  const lines = entriesOf(await here.text(file))
  const city = await here.city()
  const rig = await here.rig(city, options.rig)
  const beads = lines.map((entry) => ({ ...(rig && { rig }), ...changed(options), ...entry }) as BeadEntry)
  const made = await city.call('POST ~/beads/bulk', { body: { beads } })
  if (options.json) return json(here.io, made)
  for (const { id, title } of made.beads) line(here.io, `Created ${id}: ${plainLines(title)}`)
}

/** The lines of a file as objects; what they have to look like is the server's to say. */
function entriesOf(text: string): Record<string, unknown>[] {
  const lines = text.split('\n').flatMap((each, at) => (each.trim() === '' ? [] : [{ each, at }]))
  if (lines.length === 0) throw misuse('the file is empty: a bead a line, such as {"title": "Paint the door"}')
  return lines.map(({ each, at }) => {
    const entry = parsed(each)
    if (!isRecord(entry)) throw failure(`line ${at + 1} is no JSON object`)
    return entry
  })
}

export function updateCommand(bead: Command, here: Here): void {
  withJson(fields(bead.command('update').description('change beads: all of them or, when one cannot be, none')))
    .argument('<beads...>')
    .option('--title <title>')
    .option('--status <status>', 'open, in_progress or closed')
    .option('--remove-label <label>', 'may be repeated', several)
    .action((ids: string[], options: Update) => update(here, ids, options))
}

async function update(here: Here, ids: readonly string[], options: Update): Promise<void> {
  const { title, status, removeLabel } = options
  const body = {
    ...changed(options),
    ...(title !== undefined && { title }),
    ...(status !== undefined && { status }),
    ...(removeLabel && { remove_labels: removeLabel }),
  }
  if (Object.keys(body).length === 0) throw misuse('say what to change, such as --priority 1 or --status closed')
  const city = await here.city()
  const [id = '', ...more] = ids
  const said =
    more.length === 0
      ? await city.call('PATCH ~/bead/{id}', { params: { id }, body })
      : await city.call('PATCH ~/beads/bulk', { body: { updates: ids.map((each) => ({ id: each, ...body })) } })
  if (options.json) return json(here.io, said)
  for (const each of ids) line(here.io, `Updated ${each}.`)
}

const fields = (command: Command): Command =>
  command
    .option('--description <text>')
    .option('--type <type>')
    .option('--priority <level>', '0 to 4; 0 is the most urgent', priority)
    .option('--assignee <who>', 'a session by id, alias or name')
    .option('--label <label>', 'a label to add; may be repeated', several)
    .option('--metadata <key=value>', 'may be repeated', pair)
    .option('--parent <bead>', 'the bead it is a part of')

/** The fields that creating and updating share, those that were given. */
function changed({ description, type, priority: level, assignee, label, metadata, parent }: Create) {
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
