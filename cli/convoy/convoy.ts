import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { formatAge, sanitizeLine } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import type { ConvoyCheckResponse } from '../../src/work/convoys/index.ts'
import { beadColumns } from '../bead/bead.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { type JsonOption, parseCount, withJson } from '../context/options.ts'
import { convoyActionOutput, convoyStatusOutput, convoyTerms } from '../context/pack-json.ts'
import { renderLive, type WatchOption, withWatch } from '../context/watch.ts'
import { Exit } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { printFields, printTable } from '../io/table.ts'
import { sourceCommands } from '../workflow/workflow.ts'
import { adminCommands, isAutomatic, listOpenConvoys, OWNED_LABEL } from './admin.ts'
import { changeCommands } from './edit.ts'

export function convoyCommands(program: Command, context: CommandContext): void {
  const convoy = program.command('convoy').description('group beads into convoys')
  listCommand(convoy, context)
  withWatch(withJson(convoy.command('show').alias('status').description('show a convoy and its progress')))
    .argument('<convoy>')
    .addHelpText('after', '\nWith --watch it ends when the convoy is closed.')
    .action(async (id: string, options: JsonOption & WatchOption) => {
      const city = await context.city()
      await renderLive(context, city, options, (io) => show(io, city, id, options))
    })
  changeCommands(convoy, context)
  checkCommand(convoy, context)
  sourceCommands(convoy, context)
  adminCommands(convoy, context)
}

interface List extends JsonOption, WatchOption {
  all?: true
  limit: number
}

function listCommand(convoy: Command, context: CommandContext): void {
  withWatch(withJson(convoy.command('list').description('list open convoys, newest first')))
    .option('--all', 'include closed ones and those of single beads')
    .option('--limit <n>', 'maximum rows', parseCount, 100)
    .action(async (options: List) => {
      const city = await context.city()
      await renderLive(context, city, options, (io) => list(io, city, options))
    })
}

async function list(io: Io, city: CityClient, { all, limit, json }: List): Promise<void> {
  const convoys = await (all
    ? city.call('GET ~/beads', { query: { type: 'convoy', all, limit } })
    : city.call('GET ~/convoys', { query: { limit } }))
  const progress = new Map<string, ConvoyCheckResponse>()
  for (const { id } of convoys.items) progress.set(id, await check(city, id))
  if (json) return printJson(io, listOutput(convoys, progress))
  const shown = all ? convoys.items : convoys.items.filter((each) => !isAutomatic(each))
  const now = Date.now()
  printTable(
    io,
    shown,
    [
      { header: 'CONVOY', value: ({ id }) => id },
      {
        header: 'STATUS',
        value: ({ status }) => status,
        colour: ({ status }) => (status === 'closed' ? 'dim' : 'cyan'),
      },
      { header: 'DONE', value: ({ id }) => `${progress.get(id)?.closed}/${progress.get(id)?.total}` },
      { header: 'AGE', value: ({ created_at }) => formatAge(created_at, now) },
      { header: 'TITLE', value: ({ title }) => title, minWidth: 12 },
    ],
    all ? 'There are no convoys.' : 'No convoys are open.',
  )
  const hidden = convoys.items.length - shown.length
  if (hidden > 0) printLine(io, `${hidden} that \`gc sling\` made for one bead each are hidden; --all shows them.`)
  const { total, items } = convoys
  if (total > items.length) printLine(io, `${items.length} of ${total}; --limit shows more.`)
}

/** The JSON output as scripts of packs parse it, beside that of the server. */
function listOutput(
  list: { items: readonly Bead[]; total: number },
  progress: ReadonlyMap<string, ConvoyCheckResponse>,
) {
  const convoys = list.items.map((convoy) => {
    const { id, title, status } = convoy
    const { closed = 0, total = 0 } = progress.get(id) ?? {}
    return { id, title, status, progress: { closed, total }, ...convoyTerms(convoy) }
  })
  return envelope({ convoys, summary: { total: convoys.length }, ...list })
}

const check = (city: CityClient, id: string): Promise<ConvoyCheckResponse> =>
  city.call('GET ~/convoy/{id}/check', { params: { id } })

async function show(io: Io, city: CityClient, id: string, { json }: JsonOption): Promise<'over' | undefined> {
  const response = await city.call('GET ~/convoy/{id}', { params: { id } })
  const over = response.convoy?.status === 'closed' ? 'over' : undefined
  if (json) printJson(io, convoyStatusOutput(response))
  else print(io, response.convoy, response.children ?? [], response.progress?.closed ?? 0)
  return over
}

function print(io: Io, convoy: Bead | undefined, members: readonly Bead[], closed: number): void {
  printFields(io, [
    ['convoy', convoy?.id],
    ['title', convoy?.title],
    ['status', convoy?.status],
    ['done', `${closed} of ${members.length}`],
    ['labels', convoy?.labels?.join(', ')],
    ['created', convoy?.created_at],
    ...Object.entries(convoy?.metadata ?? {}),
  ])
  printLine(io, '')
  printTable(io, members, beadColumns(Date.now()), 'It has no beads yet; add some with `gc convoy add`.')
}

interface Check extends JsonOption {
  close?: true
}

function checkCommand(convoy: Command, context: CommandContext): void {
  withJson(convoy.command('check').description('exit with 0 if all beads of a convoy are closed'))
    .argument('[convoy]', 'convoy; default closes all finished ones')
    .option('--close', 'close it once its beads are closed, even if owned')
    .action(async (id: string | undefined, options: Check) => {
      const city = await context.city()
      if (id === undefined) return closeDone(context.io, city, options)
      const response = await check(city, id)
      if (response.complete && options.close) await city.call('POST ~/convoy/{id}/close', { params: { id } })
      if (options.json) printJson(context.io, convoyActionOutput('check', response))
      else printLine(context.io, `${response.closed} of ${response.total} beads of ${sanitizeLine(id)} are closed.`)
      if (!response.complete) throw new Exit(1)
    })
}

/** Closes every convoy whose beads are closed, except owned ones. */
async function closeDone(io: Io, city: CityClient, { close, json }: Check): Promise<void> {
  const closed: string[] = []
  for (const { id, labels } of await listOpenConvoys(city)) {
    if (labels?.includes(OWNED_LABEL) && !close) continue
    if (!(await check(city, id)).complete) continue
    await city.call('POST ~/convoy/{id}/close', { params: { id } })
    closed.push(id)
  }
  if (json) return printJson(io, convoyActionOutput('check', { closed: closed.length, closed_ids: closed }))
  printLine(io, closed.length === 0 ? 'No open convoy is done.' : `Closed ${closed.join(', ')}.`)
}
