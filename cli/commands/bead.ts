import type { Command } from 'commander'
import { ago, type Colour, plainLines } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/schema.ts'
import type { Here } from '../context/context.ts'
import { count, type Json, withJson } from '../context/options.ts'
import { beadsFound } from '../context/search.ts'
import { draw, type Watch, withWatch } from '../context/watch.ts'
import { workFound } from '../context/work.ts'
import { type Io, json, line } from '../io/io.ts'
import { type Column, facts, table } from '../io/table.ts'
import { commentCommands, commentsOn, printComments } from './bead-comment.ts'
import { dependencyCommands } from './bead-dep.ts'
import { createCommand, updateCommand } from './bead-edit.ts'
import { graphCommand } from './bead-graph.ts'
import { historyCommand } from './bead-history.ts'
import { transferCommands } from './bead-transfer.ts'
import { verbCommands } from './bead-verbs.ts'

interface List extends Json, Watch {
  status?: string
  type?: string
  label?: string
  assignee?: string
  rig?: string
  all?: true
  limit: number
}

interface Search extends Json {
  status?: string
  type?: string
  rig?: string
  limit: number
}

export function beadCommands(program: Command, here: Here): void {
  const bead = program.command('bead').description('the work of the city: tasks and everything else on record')
  listCommand(bead, here)
  withWatch(withJson(bead.command('ready').description('list the open work that nothing blocks'))).action(
    (options: Json & Watch) => ready(here, options),
  )
  withJson(bead.command('show').description('show one bead'))
    .argument('<bead>')
    .action((id: string, options: Json) => show(here, id, options))
  createCommand(bead, here)
  updateCommand(bead, here)
  verbCommands(bead, here)
  dependencyCommands(bead, here)
  graphCommand(bead, here)
  searchCommand(bead, here)
  commentCommands(bead, here)
  historyCommand(bead, here)
  transferCommands(bead, here)
}

function listCommand(bead: Command, here: Here): void {
  withWatch(withJson(bead.command('list').description('list the work that is not closed, newest first')))
    .option('--status <status>', 'open, in_progress or closed')
    .option('--type <type>', 'such as task or bug; also session, message and convoy, which are no work')
    .option('--label <label>')
    .option('--assignee <who>')
    .option('--rig <rig>', "one rig's beads; the city's own under the city's name")
    .option('--all', 'everything on record: closed beads too, and what is no work, as sessions and messages')
    .option('--limit <n>', 'at most so many', count, 100)
    .action((options: List) => list(here, options))
}

async function list(here: Here, options: List): Promise<void> {
  const city = await here.city()
  const { json: asJson, watch, ...query } = options
  await draw(here, city, { watch }, async (io) => {
    const beads = await (query.all || query.type ? city.call('GET ~/beads', { query }) : workFound(city, query))
    if (asJson) return json(io, beads)
    print(io, beads.items, 'No bead matches.')
    if (beads.total > beads.items.length) line(io, `${beads.items.length} of ${beads.total}; --limit shows more.`)
  })
}

function searchCommand(bead: Command, here: Here): void {
  withJson(bead.command('search').description('find beads by words of theirs and of what was said on them'))
    .argument('<words...>', 'all of them have to be there')
    .option('--status <status>', 'open, in_progress or closed')
    .option('--type <type>', 'such as task or bug')
    .option('--rig <rig>', "one rig's beads; the city's own under the city's name")
    .option('--limit <n>', 'at most so many', count, 50)
    .action((words: string[], options: Search) => search(here, words, options))
}

async function search(here: Here, words: readonly string[], options: Search): Promise<void> {
  const city = await here.city()
  const { json: asJson, ...query } = options
  const found = await beadsFound(city, { ...query, q: words.join(' ') })
  if (asJson) return json(here.io, found)
  print(here.io, found.items, 'No bead has these words.')
  if (found.next_cursor) line(here.io, `The newest ${found.items.length}; --limit shows more.`)
}

async function ready(here: Here, options: Json & Watch): Promise<void> {
  const city = await here.city()
  await draw(here, city, options, async (io) => {
    const beads = await city.call('GET ~/beads/ready')
    if (options.json) return json(io, beads)
    print(io, beads.items, 'Nothing is ready: all work is taken, blocked or done.')
  })
}

function print(io: Io, beads: readonly Bead[], none: string): void {
  table(io, beads, beadColumns(Date.now()), none)
}

/** How beads are listed. */
export const beadColumns = (now: number): Column<Bead>[] => [
  { head: 'BEAD', of: ({ id }) => id },
  { head: 'STATUS', of: ({ status }) => status, colour: ({ status }) => COLOURS[status] },
  { head: 'PRIO', of: ({ priority: level }) => (level === undefined ? '' : `P${level}`) },
  { head: 'TYPE', of: ({ issue_type }) => issue_type },
  { head: 'ASSIGNEE', of: ({ assignee }) => assignee, least: 8 },
  { head: 'AGE', of: ({ created_at }) => ago(created_at, now) },
  { head: 'TITLE', of: ({ title }) => title, least: 12 },
]

const COLOURS: Record<string, Colour> = { in_progress: 'cyan', closed: 'dim' }

/** How a bead stands to what it depends on, where the type of the dependency says it the other way round. */
const WAYS: Readonly<Record<string, string>> = { blocks: 'needs', 'conditional-blocks': 'may need' }

async function show(here: Here, id: string, options: Json): Promise<void> {
  const city = await here.city()
  const bead = await city.call('GET ~/bead/{id}', { params: { id } })
  if (options.json) return json(here.io, bead)
  facts(here.io, [
    ['bead', bead.id],
    ['title', bead.title],
    ['status', bead.status + (bead.is_blocked ? ', blocked' : '')],
    ['type', bead.issue_type],
    ['priority', bead.priority === undefined ? undefined : `P${bead.priority}`],
    ['assignee', bead.assignee],
    ['parent', bead.parent],
    ['labels', bead.labels?.join(', ')],
    ['not before', bead.defer_until],
    ['created', bead.created_at],
    ['updated', bead.updated_at],
    ...(bead.dependencies ?? []).map(({ type, depends_on_id: on }): [string, string] => [WAYS[type] ?? type, on]),
    ...Object.entries(bead.metadata ?? {}),
  ])
  if (bead.description) line(here.io, `\n${plainLines(bead.description)}`)
  const comments = await commentsOn(city, id)
  if (comments.length > 0) line(here.io, '')
  printComments(here.io, comments)
}
