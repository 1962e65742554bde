import type { Command } from 'commander'
import { plain, plainLines } from '../../src/client/text.ts'
import type { ConvoyTerms } from '../../src/work/convoys/schema.ts'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { misuse } from '../io/exit.ts'
import { json, line } from '../io/io.ts'

/** The commands that change a convoy. */
export function changeCommands(convoy: Command, here: Here): void {
  createCommand(convoy, here)
  itemsCommand(convoy, here, 'add', 'put beads into a convoy', 'are in')
  itemsCommand(convoy, here, 'remove', 'take beads out of a convoy; they stay as they are', 'are no longer in')
  endCommand(convoy, here, 'close', 'close a convoy, whether or not its beads are', 'POST ~/convoy/{id}/close')
  endCommand(convoy, here, 'delete', 'close a convoy for good; its record and its beads stay', 'DELETE ~/convoy/{id}')
}

interface Create extends Json {
  rig?: string
  owned?: true
  owner?: string
  merge?: Merge
  target?: string
}

type Merge = NonNullable<ConvoyTerms['merge']>

const MERGES: readonly Merge[] = ['direct', 'mr', 'local']

function createCommand(convoy: Command, here: Here): void {
  withJson(convoy.command('create').description('let beads travel together'))
    .argument('<title>')
    .argument('[bead...]', 'what is in it')
    .option('--rig <rig>', 'the rig it belongs to')
    .option('--owned', 'keep it open until a person closes it')
    .option('--owner <who>', 'who answers for it')
    .option('--merge <way>', 'how its work is to be merged: direct, mr or local', merge)
    .option('--target <branch>', 'the branch its work goes to')
    .action((title: string, items: string[], options: Create) => create(here, title, items, options))
}

function merge(way: string): Merge {
  const known = MERGES.find((each) => each === way)
  if (known === undefined) throw misuse(`--merge takes ${MERGES.join(', ')}, not ${way}`)
  return known
}

async function create(here: Here, title: string, items: string[], options: Create): Promise<void> {
  const { json: asJson, rig: named, ...terms } = options
  const city = await here.city()
  const rig = await here.rig(city, named)
  const made = await city.call('POST ~/convoys/terms', { body: { title, items, ...terms, ...(rig && { rig }) } })
  if (asJson) return json(here.io, made)
  line(here.io, `Created ${made.id}: ${plainLines(made.title)}`)
}

function itemsCommand(convoy: Command, here: Here, verb: 'add' | 'remove', about: string, then: string): void {
  withJson(convoy.command(verb).description(about))
    .argument('<convoy>')
    .argument('<bead...>')
    .action(async (id: string, items: string[], options: Json) => {
      const city = await here.city()
      const said = await city.call(`POST ~/convoy/{id}/${verb}`, { params: { id }, body: { items } })
      if (options.json) return json(here.io, said)
      const [only, ...others] = items
      const which = others.length === 0 ? `${only} ${then.replace(/^are/, 'is')}` : `${items.join(', ')} ${then}`
      line(here.io, `${plain(which)} ${plain(id)}.`)
    })
}

type End = 'POST ~/convoy/{id}/close' | 'DELETE ~/convoy/{id}'

function endCommand(convoy: Command, here: Here, verb: string, about: string, operation: End): void {
  withJson(convoy.command(verb).description(about))
    .argument('<convoy...>')
    .action(async (ids: string[], options: Json) => {
      const city = await here.city()
      for (const id of ids) {
        const said = await city.call(operation, { params: { id } })
        if (options.json) json(here.io, said)
        else line(here.io, `Closed ${plain(id)}.`)
      }
    })
}
