import type { Command } from 'commander'
import { plainLines } from '../../src/client/text.ts'
import type { Here } from '../here.ts'
import { json, line } from '../io.ts'
import { type Json, pair, priority, several, withJson } from './options.ts'

interface Create extends Json {
  description?: string
  type?: string
  priority?: number
  assignee?: string
  label?: string[]
  metadata?: Record<string, string>
  parent?: string
  rig?: string
}

interface Update extends Create {
  title?: string
  status?: string
  removeLabel?: string[]
}

export function createCommand(bead: Command, here: Here): void {
  withJson(fields(bead.command('create').description('put work on record')))
    .argument('<title>')
    .option('--rig <rig>', 'the rig it belongs to')
    .action(async (title: string, options: Create) => {
      const city = await here.city()
      const rig = await here.rig(city, options.rig)
      const made = await city.call('POST ~/beads', {
        body: { title, ...(rig && { rig }), ...changed(options) },
      })
      if (options.json) return json(here.io, made)
      line(here.io, `Created ${made.id}: ${plainLines(made.title)}`)
    })
}

export function updateCommand(bead: Command, here: Here): void {
  withJson(fields(bead.command('update').description('change a bead')))
    .argument('<bead>')
    .option('--title <title>')
    .option('--status <status>', 'open, in_progress or closed')
    .option('--remove-label <label>', 'may be repeated', several)
    .action(async (id: string, options: Update) => {
      const city = await here.city()
      const { title, status, removeLabel } = options
      const body = {
        ...changed(options),
        ...(title !== undefined && { title }),
        ...(status !== undefined && { status }),
        ...(removeLabel && { remove_labels: removeLabel }),
      }
      const said = await city.call('PATCH ~/bead/{id}', { params: { id }, body })
      if (options.json) return json(here.io, said)
      line(here.io, `Updated ${id}.`)
    })
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
