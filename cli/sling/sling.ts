import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { SlingResponse } from '../../src/orchestration/runs/index.ts'
import type { CommandContext } from '../context/context.ts'
import { collectPair, withJson } from '../context/options.ts'
import { Exit, usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { warnUnavailable } from '../session/unavailable.ts'
import { isConvoy, slingConvoy } from './convoy.ts'
import { dryRun } from './dry-run.ts'
import { runFields, type SlingOptions, slingBody, slingFields } from './options.ts'

export function slingCommand(program: Command, context: CommandContext): void {
  withJson(program.command('sling').description('give work to an agent: a bead or a text'))
    .argument('[agent|bead]', '`rig/name` or `name`; default is the rig’s agent')
    .argument('[bead|text...]', 'bead, or text of a new one')
    .option('--stdin', 'read the work: title on the first line, then the description')
    .option('--rig <rig>', 'rig of the agent and of a new bead')
    .option('--force', 'sling it even if claimed, blocked or of another rig')
    .option('--reassign', 'take the bead from its current assignee')
    .option('--no-convoy', 'do not create a convoy')
    .option('--owned', 'keep the convoy open until someone closes it')
    .option('--merge <way>', 'merge strategy: direct, mr or local')
    .option('--target <agent>', 'agent, instead of the argument')
    .option('-f, --formula', 'treat the work as the name of a formula')
    .option('--on <formula>', 'formula to run for the bead')
    .option('-t, --title <title>', 'title of the run of a formula')
    .option('--var <key=value>', 'a variable of the formula; may be repeated', collectPair)
    .option('--scope-kind <kind>', 'store of the run: city or rig')
    .option('--scope-ref <name>', 'name of the city or rig')
    .option('--no-formula', 'do not use the default formula of the agent')
    .option('--prompt <text>', 'text, instead of the argument')
    .option('--nudge', 'accepted: a session always wakes for its work')
    .option('-n, --dry-run', 'check the agent, bead and formula, and change nothing')
    .action((target: string | undefined, words: string[], options: SlingOptions) => {
      const [to, rest] = options.target
        ? [options.target, target === undefined ? [] : [target, ...words]]
        : [target, words]
      if (!to) throw usageError('name the agent: `gc sling <agent> <bead>`')
      const isTold = options.stdin || options.prompt !== undefined
      const only = rest.length === 0 && !options.target && !isTold ? beadId(to) : undefined
      return only ? slingToDefault(context, only, options) : sling(context, to, rest, options)
    })
}

/** Slings a bead to whom its rig names for work that names no one. */
async function slingToDefault(context: CommandContext, bead: string, options: SlingOptions): Promise<void> {
  if (options.formula === true) throw usageError('a formula goes to an agent: `gc sling <agent> <formula> --formula`')
  const city = await context.city()
  const { target } = await city.call('GET ~/bead/{id}/default-target', { params: { id: bead } })
  return sling(context, target, [bead], options)
}

async function sling(context: CommandContext, target: string, words: string[], options: SlingOptions): Promise<void> {
  const text = options.stdin ? await context.io.readInput() : [...words, options.prompt ?? ''].join(' ')
  const isTwice = words.length > 0 && (options.stdin || options.prompt !== undefined)
  if (isTwice) throw usageError('give the work once: as words, by --prompt or by --stdin')
  if (text.trim() === '') throw usageError('name the work: `gc sling <agent> <bead>`, or `gc sling <agent> "<text>"`')
  const city = await context.city()
  const given = !options.stdin && words.length === 1 ? beadId(words[0]) : undefined
  if (options.dryRun) return dryRun(context, city, { target, bead: given, text, options })
  if (given && (await isConvoy(city, given))) {
    return slingConvoy(context, city, given, { target, options }).catch(withConflictStatus)
  }
  const response = await send(city, target, text, given, options).catch(withConflictStatus)
  if (options.json) return printJson(context.io, result(response))
  // The last line says of a suspended agent what that means for its work.
  const warnings = (response.warnings ?? []).filter((each) => each !== `agent ${response.target} is suspended`)
  for (const warning of warnings) context.io.err(`gc: ${sanitizeLine(warning)}\n`)
  printLine(context.io, sentenceOf(response))
  await warnUnavailable(context.io, city, response.target)
}

/** Started run, with the command that follows it. */
function sentenceOf({ run, formula, bead, root_bead_id, target }: SlingResponse): string {
  if (!run) return `${bead ?? root_bead_id ?? formula} goes to ${target}.`
  const of = formula ? ` of ${formula}` : ''
  return `Run ${run.run_id}${of} goes to ${target}; \`gc run show ${run.run_id} --watch\` follows it.`
}

/** A bead for which a run continues has a status of its own, which scripts look at. */
function withConflictStatus(error: unknown): never {
  if (error instanceof ApiError && error.code === 'sling-source-workflow-conflict') throw new Exit(3, error.message)
  throw error
}

async function send(
  city: CityClient,
  target: string,
  text: string,
  bead: string | undefined,
  options: SlingOptions,
): Promise<SlingResponse> {
  const body = slingBody(target, text, bead, options)
  if (body) {
    // Other clients may give variables that a formula does not know; on a command line they are typing errors.
    if (options.var) await city.call('POST ~/sling/check', { body })
    return city.call('POST ~/sling', { body })
  }
  if (Object.keys(runFields(options)).length > 0) throw usageError('--title, --var and --scope-… are about a formula')
  return slingText(city, target, text, options)
}

/** A single word that looks like a bead id is one: a mistyped id must not become a task. */
const beadId = (word: string | undefined): string | undefined =>
  word !== undefined && /^[a-z][a-z0-9_-]*-[0-9]+$/i.test(word) ? word : undefined

/** Creates a bead and slings it in one request; its first line is the title. */
function slingText(city: CityClient, target: string, text: string, options: SlingOptions): Promise<SlingResponse> {
  const [title = '', ...rest] = text.trim().split(/\r?\n/)
  const description = rest.join('\n').trim()
  const { force, reassign, ...others } = slingFields(options)
  if (force || reassign) throw usageError('--force and --reassign need an existing bead')
  return city.call('POST ~/sling/text', { body: { target, title, ...(description && { description }), ...others } })
}

/** The JSON output that prompts and scripts parse. */
const result = ({
  target,
  mode,
  bead,
  formula,
  workflow_id,
  root_bead_id,
  dashboard_url,
  warnings,
}: SlingResponse) => ({
  schema_version: '1',
  ok: true,
  success: true,
  target,
  ...(mode !== undefined && { method: mode }),
  ...(bead !== undefined && { bead_id: bead }),
  ...(formula !== undefined && { formula }),
  ...(workflow_id !== undefined && { workflow_id }),
  ...(workflow_id === undefined && root_bead_id !== undefined && { molecule_id: root_bead_id }),
  routed: true,
  queued: false,
  dry_run: false,
  ...(dashboard_url !== undefined && { dashboard_url }),
  ...(warnings?.length && { warnings }),
})
