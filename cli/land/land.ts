import type { Command } from 'commander'
import { landHead, landingColumns } from '../../client/views/index.ts'
import type { Landing, LandingLog } from '../../src/changes/landing/index.ts'
import type { CityClient } from '../../src/client/client.ts'
import { formatTime, sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, oldSpelling, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { listColumns } from '../io/shared-columns.ts'
import { printTable } from '../io/table.ts'

interface RigOption extends JsonOption {
  rig?: string
}

interface SubmitOptions extends RigOption {
  session?: string
  branch?: string
  bead?: string
}

type ReasonOptions = JsonOption & { reason?: string }

export function landCommands(program: Command, context: CommandContext): void {
  const land = program.command('land').description('land finished branches on the target of their rig')
  withJson(land.command('submit').description('submit a branch for landing'))
    .option('--rig <rig>', 'rig; default is that of the session or folder')
    .option('--session <session>', 'session whose worktree to submit')
    .option('--branch <branch>', 'branch of the rig, instead of a session')
    .option('--bead <bead>', 'bead of the work')
    .action((options: SubmitOptions) => submit(context, options))
  withWatch(withJson(land.command('status').description('show landings and the queue')))
    .argument('[rig]')
    .action(watched(context, status))
  withWatch(withJson(land.command('show').description('show a landing')))
    .argument('<landing>')
    .action(watched(context, show))
  withWatch(withJson(land.command('log').description('show the batches and checks of a landing')))
    .argument('<landing>')
    .action(watched(context, log))
  const verbs = [
    ['retry', 'retry a landing that was returned, parked or lost'],
    ['cancel', 'remove a branch from the queue'],
    ['hold', 'hold a branch until you release it'],
    ['release', 'release a held branch'],
    ['give-up', 'give up a branch that cannot land'],
  ] as const
  for (const [verb, description] of verbs) {
    withJson(land.command(verb).description(description))
      .argument('<landing>')
      .option('--reason <text>', 'reason, stored with the change')
      .addOption(oldSpelling('--why <text>', 'reason'))
      .action((id: string, options: ReasonOptions) => change(context, verb, id, options))
  }
  withJson(land.command('pause').description('pause landing in a rig'))
    .argument('[rig]')
    .action((rig: string | undefined, options: JsonOption) => turn(context, 'pause', rig, options))
  withJson(land.command('resume').description('resume landing in a rig, and retry failed landings'))
    .argument('[rig]')
    .action((rig: string | undefined, options: JsonOption) => turn(context, 'resume', rig, options))
}

async function rigOf(context: CommandContext, city: CityClient, named: string | undefined): Promise<string> {
  const rig = await context.rig(city, named)
  if (rig !== undefined) return rig
  throw usageError('which rig? Name one, or run gc in its folder; gc rig list shows them')
}

async function submit(context: CommandContext, { rig, session, branch, bead, json }: SubmitOptions): Promise<void> {
  const city = await context.city()
  const own = branch === undefined ? (session ?? context.io.env.GC_SESSION_ID) : undefined
  if (own === undefined && branch === undefined) throw usageError('name what is submitted with --session or --branch')
  const landing = await city.call('POST ~/rig/{name}/land', {
    params: { name: await rigOf(context, city, rig) },
    body: {
      ...(own !== undefined && { session: own }),
      ...(branch !== undefined && { branch }),
      ...(bead && { bead_id: bead }),
    },
  })
  if (json) return printJson(context.io, landing)
  const where = `${sanitizeLine(landing.branch)} at ${landing.head.slice(0, 12)}`
  printLine(
    context.io,
    `${landing.id}: ${where} is queued for ${sanitizeLine(landing.target)}; gc land show ${landing.id}`,
  )
}

async function status(context: CommandContext, named: string | undefined, options: JsonOption): Promise<void> {
  const city = await context.city()
  const found = await city.call('GET ~/rig/{name}/land', { params: { name: await rigOf(context, city, named) } })
  if (options.json) return printJson(context.io, found)
  for (const { said, text } of landHead(found)) printLine(context.io, sanitizeLine(said ?? text))
  printLandings(context, [...found.queue, ...found.waiting], 'The queue is empty.')
}

function printLandings(context: CommandContext, landings: readonly Landing[], nothing: string): void {
  const { landing, state, bead, branch, age, reason } = landingColumns
  printTable(
    context.io,
    landings,
    listColumns<Landing>(Date.now(), [landing, state, bead, branch, age, reason]),
    nothing,
  )
}

async function show(context: CommandContext, id: string, options: JsonOption): Promise<void> {
  const city = await context.city()
  const landing = await city.call('GET ~/landing/{id}', { params: { id } })
  if (options.json) return printJson(context.io, landing)
  printLanding(context, landing)
}

function printLanding(context: CommandContext, landing: Landing): void {
  const { id, state, branch, head, target, reason, merged, bead_id, files } = landing
  const place = `${sanitizeLine(branch)} at ${head.slice(0, 12)}, to ${sanitizeLine(target)}`
  printLine(context.io, `${id}: ${state.replace('_', ' ')} (${place}, try ${landing.try})`)
  if (bead_id !== undefined) printLine(context.io, `  bead ${sanitizeLine(bead_id)}`)
  if (reason !== undefined) printLine(context.io, `  ${sanitizeLine(reason)}`)
  if (files) printLine(context.io, `  conflicts in ${sanitizeLine(files.join(', '))}`)
  if (merged !== undefined) printLine(context.io, `  landed as ${merged}`)
}

async function log(context: CommandContext, id: string, options: JsonOption): Promise<void> {
  const city = await context.city()
  const found = await city.call('GET ~/landing/{id}/log', { params: { id } })
  if (options.json) return printJson(context.io, found)
  printLanding(context, found.landing)
  for (const batch of found.batches) {
    const outcome = batch.outcome ?? batch.state
    printLine(
      context.io,
      `${batch.id}: ${batch.position + 1} of ${batch.size} on ${batch.base.slice(0, 12)}, ${outcome}`,
    )
    for (const { verdict, state, commit, reason } of batch.checks) {
      const why = reason === undefined ? '' : ` (${sanitizeLine(reason)})`
      printLine(context.io, `  ${commit.slice(0, 12)} ${verdict ?? state}${why}`)
    }
  }
  for (const letter of found.letters) printLine(context.io, describeLetter(letter))
}

function describeLetter({ kind, try: n, state, reason, tokens, ...letter }: LandingLog['letters'][number]): string {
  const why = reason === undefined ? '' : ` (${sanitizeLine(reason)})`
  const cost = letter.cost_usd_estimate ?? 0
  const used = tokens === undefined || tokens === 0 ? '' : `, with ${tokens} tokens, about $${cost.toFixed(2)}`
  const resolved =
    letter.resolved_at === undefined ? '' : `, resolved ${formatTime(letter.resolved_at, Date.now())}${used}`
  return `Letter of try ${n} (${kind}): ${state}${why}${resolved}`
}

type Verb = 'retry' | 'cancel' | 'hold' | 'release' | 'give-up'

async function change(context: CommandContext, verb: Verb, id: string, { reason, json }: ReasonOptions): Promise<void> {
  const city = await context.city()
  const body = reason === undefined ? {} : { reason }
  const landing = await city.call(`POST ~/landing/{id}/${verb}`, { params: { id }, body })
  if (json) return printJson(context.io, landing)
  printLanding(context, landing)
}

async function turn(
  context: CommandContext,
  verb: 'pause' | 'resume',
  named: string | undefined,
  options: JsonOption,
): Promise<void> {
  const city = await context.city()
  const params = { name: await rigOf(context, city, named) }
  const found = await city.call(`POST ~/rig/{name}/land/${verb}`, { params })
  if (options.json) return printJson(context.io, found)
  for (const { text } of landHead(found)) printLine(context.io, sanitizeLine(text))
}
