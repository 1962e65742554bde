import type { Command } from 'commander'
import { sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { ConvoyTerms } from '../../src/work/convoys/index.ts'
import type { CommandContext } from '../context/context.ts'
import { collectList, type JsonOption, oldSpelling, withJson } from '../context/options.ts'
import { convoyActionOutput } from '../context/pack-json.ts'
import { usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'

/** The commands that change a convoy. */
export function changeCommands(convoy: Command, context: CommandContext): void {
  createCommand(convoy, context)
  itemsCommand(convoy, context, 'add', 'add beads to a convoy', 'are in')
  itemsCommand(convoy, context, 'remove', 'remove beads from a convoy', 'are no longer in')
  endCommand(convoy, context, 'close', 'close a convoy, even with open beads', 'POST ~/convoy/{id}/close')
  endCommand(convoy, context, 'delete', 'delete a convoy; its record and its beads are kept', 'DELETE ~/convoy/{id}')
}

interface Create extends JsonOption {
  rig?: string
  owned?: true
  owner?: string
  merge?: Merge
  target?: string
  tracks?: string[]
  notify?: string
  cityScope?: true
}

type Merge = NonNullable<ConvoyTerms['merge']>

const MERGES: readonly Merge[] = ['direct', 'mr', 'local']

function createCommand(convoy: Command, context: CommandContext): void {
  withJson(convoy.command('create').description('create a convoy of beads'))
    .argument('<title>')
    .argument('[bead...]', 'beads of the convoy')
    .option('--rig <rig>', 'rig of the bead')
    .option('--owned', 'keep it open until `gc convoy land`')
    .option('--owner <who>', 'owner of the convoy')
    .option('--merge <way>', 'merge strategy: direct, mr or local', parseMerge)
    .option('--target <branch>', 'branch that its work merges into')
    .option('--tracks <beads>', 'further beads, separated by commas', collectList)
    .option('--notify <who>', 'recipient to notify when it closes; stored as metadata')
    .option('--city-scope', 'create it in the city, not in the rig of this folder')
    .action((title: string, items: string[], options: Create) => create(context, title, items, options))
}

function parseMerge(way: string): Merge {
  const merge = MERGES.find((each) => each === way)
  if (merge === undefined) throw usageError(`--merge takes ${MERGES.join(', ')}, not ${way}`)
  return merge
}

async function create(context: CommandContext, title: string, items: string[], options: Create): Promise<void> {
  const { json, rig: named, tracks = [], notify, cityScope, ...terms } = options
  const city = await context.city()
  const rig = cityScope ? undefined : await context.rig(city, named)
  const members = [...items, ...tracks]
  const body = { title, items: members, ...terms, ...(rig && { rig }) }
  const created = await city.call('POST ~/convoys/terms', { body })
  if (notify !== undefined) {
    const metadata = { 'convoy.notify': notify }
    await city.call('PATCH ~/bead/{id}', { params: { id: created.id }, body: { metadata } })
  }
  if (json) {
    const known = { convoy_id: created.id, issue_ids: members, ...(notify && { notify }) }
    return printJson(context.io, convoyActionOutput('create', { ...known, ...created }))
  }
  printLine(context.io, `Created ${created.id}: ${sanitizeLines(created.title)}`)
}

function itemsCommand(
  convoy: Command,
  context: CommandContext,
  verb: 'add' | 'remove',
  description: string,
  result: string,
): void {
  withJson(convoy.command(verb).description(description))
    .argument('<convoy>')
    .argument('<bead...>')
    .action(async (id: string, items: string[], options: JsonOption) => {
      const city = await context.city()
      const response = await city.call(`POST ~/convoy/{id}/${verb}`, { params: { id }, body: { items } })
      const known = { convoy_id: id, issue_ids: items }
      if (options.json) return printJson(context.io, convoyActionOutput(verb, { ...known, ...response }))
      const [only, ...others] = items
      const which = others.length === 0 ? `${only} ${result.replace(/^are/, 'is')}` : `${items.join(', ')} ${result}`
      printLine(context.io, `${sanitizeLine(which)} ${sanitizeLine(id)}.`)
    })
}

type End = 'POST ~/convoy/{id}/close' | 'DELETE ~/convoy/{id}'

function endCommand(convoy: Command, context: CommandContext, verb: string, description: string, operation: End): void {
  withJson(convoy.command(verb).description(description))
    .argument('<convoy...>')
    .option('--force', 'accepted: gc never asks here')
    .addOption(oldSpelling('-f', 'force'))
    .action(async (ids: string[], options: JsonOption) => {
      const city = await context.city()
      for (const id of ids) {
        const response = await city.call(operation, { params: { id } })
        if (options.json) printJson(context.io, convoyActionOutput(verb, { convoy_id: id, ...response }))
        else printLine(context.io, `Closed ${sanitizeLine(id)}.`)
      }
    })
}
