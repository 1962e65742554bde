import type { Command } from 'commander'
import { isRecord, parseJson } from '../../src/client/json.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { Bead, BeadEntry } from '../../src/work/beads/index.ts'
import { createBead } from '../bead/create.ts'
import { parseMoment } from '../context/dates.ts'
import { collectList, collectPair, parseCount, parsePriority } from '../context/options.ts'
import { failure, usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'
import { formatPriority } from './print.ts'

interface Create extends TextOptions {
  title?: string
  type: string
  priority: number
  assignee?: string
  labels?: string[]
  label?: string[]
  parent?: string
  deps?: string[]
  waitsFor?: string
  defer?: string
  id?: string
  prefix?: string
  ephemeral?: true
  silent?: true
  dryRun?: true
  file?: string
  graph?: string
}

export function createCommand(program: Command, bd: BdContext): void {
  withTextOptions(program.command('create').alias('new').description('create a bead').argument('[title]'))
    .option('--title <title>', 'title, instead of the argument')
    .option('-t, --type <type>', 'task, bug, feature, epic, chore …', parseType, 'task')
    .option('-p, --priority <level>', '0 to 4, or P0 to P4', parsePriority, 2)
    .option('-a, --assignee <who>', 'assignee')
    .option('-l, --labels <labels>', 'labels, separated by commas', collectList)
    .option('--label <labels>', 'same as --labels', collectList)
    .option('--parent <bead>', 'parent bead')
    .option('--deps <deps>', 'beads it depends on: `id` or `type:id`, separated by commas', collectList)
    .option('--waits-for <bead>', 'bead whose children must be closed first')
    .option('--waits-for-gate <gate>', 'accepted: all children must be closed')
    .option('--defer <moment>', 'defer until this time', parseMoment)
    .option('--prefix <prefix>', 'id prefix of the rig to create it in')
    .option('--ephemeral', 'create it as ephemeral bookkeeping')
    .option('--graph <file>', 'create the beads of a JSON plan; - for standard input')
    .option('--file <file>', 'not supported: beads of a Markdown file')
    .option('--id <id>', 'not supported: the city assigns ids')
    .option('--dry-run', 'show the plan and create nothing')
    .option('--silent', 'print the id only')
    .option('--force', 'accepted')
    .option('--validate', 'accepted: gc prescribes no sections')
    .option('--no-inherit-labels', 'accepted: labels are not inherited')
    .action(bd.run((title: string | undefined, options: Create) => create(bd, title, options)))
}

/** The other names of types in `bd`. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ enhancement: 'feature', feat: 'feature', dec: 'decision', adr: 'decision' },
}
const parseType = (text: string): string => TYPES[text] ?? text

async function create(bd: BdContext, title: string | undefined, options: Create): Promise<void> {
  if (options.id !== undefined) throw failure('the city assigns ids; remove --id')
  if (options.file !== undefined) throw failure('gc reads no beads from Markdown: give a JSON plan with --graph')
  if (options.graph !== undefined) return createGraph(bd, options.graph, options)
  const entry = await entryOf(bd, title ?? options.title, options)
  if (options.dryRun) return preview(bd, [entry])
  const bead = await createBead(await bd.city(), entry)
  if (bd.print.json) return bd.printIssue(bead)
  if (options.silent) return bd.print.line(bead.id)
  printCreated(bd, bead)
}

function printCreated({ print }: BdContext, bead: Bead): void {
  print.line(`✓ Created issue: ${bead.id} — ${sanitizeLine(bead.title)}`)
  print.line(`  Priority: ${formatPriority(bead)}\n  Status: ${bead.status}`)
}

async function entryOf(bd: BdContext, title: string | undefined, options: Create): Promise<BeadEntry> {
  if (!title?.trim()) throw usageError('title required')
  const { description, metadata } = await textFieldsOf(bd, options)
  const added = options.appendNotes ?? options.note
  const notes = [metadata.notes, added].filter((text) => text !== undefined).join('\n')
  const known = { ...metadata, ...(added !== undefined && { notes }) }
  const labels = [...(options.labels ?? []), ...(options.label ?? [])]
  const needs = [...(options.deps ?? []), ...(options.waitsFor ? [`waits-for:${options.waitsFor}`] : [])]
  const rig = options.prefix === undefined ? await bd.rig() : await rigOfPrefix(bd, options.prefix)
  return {
    title,
    type: options.type,
    priority: options.priority,
    ...(description !== undefined && { description }),
    ...(options.assignee && { assignee: options.assignee }),
    ...(labels.length > 0 && { labels }),
    ...(options.parent && { parent: options.parent }),
    ...(options.defer && { defer_until: options.defer }),
    ...(Object.keys(known).length > 0 && { metadata: known }),
    ...(needs.length > 0 && { needs }),
    ...(rig && { rig }),
    ...(options.ephemeral && { ephemeral: true }),
  }
}

function preview({ print }: BdContext, entries: readonly BeadEntry[]): void {
  if (print.json) {
    const shown = entries.map(({ type: issue_type, needs = [], ...entry }) => ({
      ...entry,
      ...{ issue_type, status: 'open', dependencies: needs, dry_run: true },
    }))
    const [only, ...others] = shown
    print.value(only && others.length === 0 ? only : shown)
    return
  }
  for (const { title, type, priority } of entries)
    print.line(sanitizeLine(`would create: [P${priority ?? 2}] [${type ?? 'task'}] ${title}`))
}

/** Creates the beads of a plan: `nodes`, each with a key, and `edges` from a bead to what it depends on. */
async function createGraph(bd: BdContext, file: string, options: Create): Promise<void> {
  const plan = parseJson(await bd.context.readFile(file))
  if (!isRecord(plan) || !Array.isArray(plan.nodes)) throw failure(`${file} is not a plan: it has no "nodes"`)
  const edges: unknown[] = Array.isArray(plan.edges) ? plan.edges : []
  const rig = await bd.rig()
  const beads = plan.nodes.map((node: unknown) => planned(node, edges, rig))
  if (options.dryRun) return preview(bd, beads)
  const created = await (await bd.city()).call('POST ~/beads/bulk', { body: { beads } })
  if (bd.print.json) return bd.print.value({ ids: created.names })
  for (const bead of created.beads) {
    if (options.silent) bd.print.line(bead.id)
    else printCreated(bd, bead)
  }
}

function planned(node: unknown, edges: readonly unknown[], rig: string | undefined): BeadEntry {
  if (!isRecord(node)) throw failure('a node of the plan is not an object')
  const text = (key: string): string | undefined => {
    const value = node[key]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const [title, name] = [text('title'), text('key')]
  if (title === undefined || name === undefined) throw failure('a node of the plan needs a key and a title')
  const parent = text('parent_key') ?? text('parent_id')
  const needs = edges.flatMap((edge) => {
    if (!isRecord(edge) || (edge.from_key ?? edge.from_id) !== name) return []
    const [target, type] = [edge.to_key ?? edge.to_id, edge.type ?? 'blocks']
    return typeof target === 'string' ? [type === 'blocks' ? target : `${type}:${target}`] : []
  })
  const fields = { description: text('description'), assignee: text('assignee'), type: text('type') }
  const labels = Array.isArray(node.labels) ? node.labels.filter((each) => typeof each === 'string') : []
  const metadata = isRecord(node.metadata) ? node.metadata : {}
  return {
    ...{ title, name, needs, labels },
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    ...(typeof node.priority === 'number' && { priority: node.priority }),
    ...(parent !== undefined && { parent }),
    ...(rig && { rig }),
    metadata: Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, String(value)])),
  }
}

/** The rig whose bead ids have a prefix; undefined for that of the city itself. */
async function rigOfPrefix(bd: BdContext, prefix: string): Promise<string | undefined> {
  const city = await bd.city()
  const wanted = prefix.replace(/-$/, '')
  const { items } = await city.call('GET ~/rigs')
  const rig = items.find((each) => each.prefix === wanted)
  if (rig) return rig.name
  const { prefix: own } = await city.call('GET ~/config').then(({ workspace }) => workspace)
  if (own === undefined || own === wanted) return undefined
  const prefixes = items.map((each) => `${each.prefix} (${each.name})`)
  throw failure(`no rig has the prefix ${wanted}; there are ${prefixes.join(', ') || 'none'}, and ${own} is the city’s`)
}

/** The options of `bd create` and `bd update` for texts and other fields. */
export interface TextOptions {
  description?: string
  desc?: string
  bodyFile?: string
  stdin?: true
  notes?: string
  appendNotes?: string
  note?: string
  design?: string
  designFile?: string
  acceptance?: string
  context?: string
  externalRef?: string
  specId?: string
  estimate?: number
  due?: string
  skills?: string
  molType?: string
  wispType?: string
  awaitId?: string
  eventActor?: string
  eventCategory?: string
  eventPayload?: string
  eventTarget?: string
  metadata?: string
  setMetadata?: Record<string, string>
  meta?: Record<string, string>
}

export const withTextOptions = (command: Command): Command =>
  withEventOptions(
    command
      .option('-d, --description <text>', 'description')
      .option('--desc <text>', 'same as --description')
      .option('--body-file <file>', 'read the description from a file; - for standard input')
      .option('--stdin', 'read the description from standard input')
      .option('--notes <text>', 'notes')
      .option('--append-notes <text>', 'line to add to the notes')
      .option('--note <text>', 'same as --append-notes')
      .option('--design <text>', 'design')
      .option('--design-file <file>', 'read the design from a file; - for standard input')
      .option('--acceptance <text>', 'acceptance criteria')
      .option('--context <text>', 'context')
      .option('--external-ref <ref>', 'external reference, such as the address of an issue')
      .option('--spec-id <id>', 'specification of the bead')
      .option('-e, --estimate <minutes>', 'estimated duration', parseCount)
      .option('--due <moment>', 'due time', parseMoment)
      .option('--skills <skills>', 'required skills')
      .option('--mol-type <type>', 'type of a molecule: swarm, patrol or work')
      .option('--wisp-type <type>', 'purpose of a wisp, such as heartbeat or patrol')
      .option('--await-id <id>', 'external id of a gate, such as the number of a run')
      .option('--metadata <json>', 'JSON object of keys and values, or @<file>')
      .option('--set-metadata <key=value>', 'metadata; may be repeated', collectPair)
      .option('--meta <key=value>', 'same as --set-metadata', collectPair)
      .option('--session <id>', 'accepted: gc knows which session is calling')
      .option('--history', 'accepted: gc records every change')
      .option('--no-history', 'accepted: gc records every change')
      .option('--allow-empty-description', 'accepted'),
  )

const withEventOptions = (command: Command): Command =>
  command
    .option('--event-actor <uri>', 'actor of the recorded event')
    .option('--event-category <category>', 'category of the recorded event, such as agent.started')
    .option('--event-payload <json>', 'payload of the recorded event')
    .option('--event-target <uri>', 'target of the recorded event')

/** The description and the metadata that options give. */
export interface TextFields {
  description?: string
  metadata: Record<string, string>
}

export async function textFieldsOf(bd: BdContext, options: TextOptions): Promise<TextFields> {
  const from = options.stdin ? '-' : options.bodyFile
  const text = from === undefined ? (options.description ?? options.desc) : await bd.context.readFile(from)
  const design = options.designFile === undefined ? options.design : await bd.context.readFile(options.designFile)
  const { notes, acceptance, context, externalRef, specId, estimate, due, skills, molType, wispType } = options
  const fields = {
    ...{ notes, design, acceptance_criteria: acceptance, context, external_ref: externalRef, spec_id: specId },
    ...{ due_at: due, estimated_minutes: estimate?.toString(), skills, mol_type: molType, wisp_type: wispType },
    ...{ await_id: options.awaitId, event_kind: options.eventCategory, actor: options.eventActor },
    ...{ target: options.eventTarget, payload: options.eventPayload },
  }
  const given = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const pairs = { ...options.setMetadata, ...options.meta, ...Object.fromEntries(given) }
  return {
    ...(text !== undefined && { description: text }),
    metadata: { ...(await readMetadata(bd, options.metadata)), ...pairs },
  }
}

/** The metadata of `--metadata`: a JSON object, or `@` and a file of one. Values other than strings are kept as JSON. */
async function readMetadata({ context }: BdContext, given: string | undefined): Promise<Record<string, string>> {
  if (given === undefined) return {}
  const text = given.startsWith('@') ? await context.readFile(given.slice(1)) : given
  const value = parseJson(text)
  if (!isRecord(value)) throw usageError('--metadata must be a JSON object')
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, typeof each === 'string' ? each : JSON.stringify(each)]),
  )
}
