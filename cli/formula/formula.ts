import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { countOf, sanitizeLine } from '../../src/client/text.ts'
import type { FormulaReports } from '../../src/orchestration/formulas/index.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope, withItems } from '../context/envelope.ts'
import { collectPair, type JsonOption, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { Exit, failure, notFound } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { cookCommand } from './cook.ts'
import { showCommand } from './show.ts'

type Report = FormulaReports['formulas'][number]
type Message = Report['errors'][number]

/** `gc formula`: what there is to run, and what it would come to. */
export function formulaCommands(program: Command, context: CommandContext): void {
  const formula = program.command('formula').description('list, check and preview formulas')
  listCommand(formula, context)
  showCommand(formula, context)
  catalogCommand(formula, context)
  validateCommand(formula, context)
  previewCommand(formula, context)
  versionCheckCommand(formula, context)
  cookCommand(formula, context)
}

interface RigOption extends JsonOption {
  rig?: string
}

const RIG = 'count the formulas of this rig as well'

/** The formula files, and where the city lies. */
async function readReports(context: CommandContext, rigName: string | undefined) {
  const city = await context.city()
  const rig = await context.rig(city, rigName)
  const reports = await city.call('GET ~/formula-files', { query: { ...(rig && { rig }) } })
  const { path: city_path } = await city.call('GET ~')
  return { city, rig, city_path, ...reports }
}

function listCommand(formula: Command, context: CommandContext): void {
  withWatch(withJson(formula.command('list').description('list the formulas of the city and its packs')))
    .option('--rig <rig>', RIG)
    .action(watched(context, list))
}

async function list(context: CommandContext, { rig, json }: RigOption): Promise<void> {
  const { io } = context
  const { city_path, search_paths, formulas } = await readReports(context, rig)
  const listed = formulas.map(({ name, source }) => ({ name, source }))
  if (json) return printJson(io, envelope(withItems({ city_path, search_paths, formulas: listed }, listed)))
  if (formulas.length === 0)
    printLine(io, 'There are no formulas: put NAME.toml into the formulas folder of the city, or import a pack.')
  for (const { name } of formulas) printLine(io, sanitizeLine(name))
  for (const each of formulas) printMessages(context, each.errors)
}

function catalogCommand(formula: Command, context: CommandContext): void {
  withJson(formula.command('catalog').description('list formulas for people to choose from'))
    .option('--rig <rig>', RIG)
    .action(async ({ rig, json }: RigOption) => {
      const { io } = context
      const { formulas } = await readReports(context, rig)
      const offered = formulas.flatMap(({ name, catalog }) => (catalog ? [{ ...catalog, name }] : []))
      const warnings = formulas
        .flatMap((report) => report.warnings.filter(({ message }) => message.startsWith('it is not in the catalog')))
        .map((warning) => ({ code: 'formula_catalog_invalid_metadata', message: place(warning) }))
      if (json)
        return printJson(
          io,
          envelope(withItems({ formulas: offered, summary: { count: offered.length }, warnings }, offered)),
        )
      for (const { name, description } of offered) printLine(io, sanitizeLine(`${name}: ${description}`))
      if (offered.length === 0) printLine(io, 'No formula has a [catalog] with its name.')
      for (const { message } of warnings) io.err(`${sanitizeLine(message)}\n`)
    })
}

function validateCommand(formula: Command, context: CommandContext): void {
  withJson(formula.command('validate').description('check formulas for errors and keys without effect'))
    .argument('[formula]', 'formula or file; default is all formulas')
    .option('--rig <rig>', RIG)
    .action(async (name: string | undefined, { rig, json }: RigOption) => {
      if (name?.endsWith('.toml')) return validateFile(context, name, json)
      const { formulas } = await readReports(context, rig)
      const judged = formulas.filter((each) => name === undefined || each.name === name)
      if (name !== undefined && judged.length === 0)
        throw notFound('formula-not-found', `there is no formula "${name}"`)
      const errors = judged.flatMap((each) => each.errors)
      const warnings = uniqueMessages(judged.flatMap((each) => each.warnings))
      if (json) printJson(context.io, { ...envelope({ errors, warnings }), ok: errors.length === 0 })
      else {
        printMessages(context, errors, 'error')
        printMessages(context, warnings, 'warning')
        const count = `${judged.length} ${judged.length === 1 ? 'formula' : 'formulas'}`
        if (errors.length === 0) printLine(context.io, `${count}: no errors, ${countOf(warnings.length, 'warning')}.`)
      }
      if (errors.length > 0) throw new Exit(1)
    })
}

/** Messages without those that several formulas have, since they are made of the same one. */
const uniqueMessages = (messages: readonly Message[]): Message[] => [
  ...new Map(messages.map((each) => [JSON.stringify(each), each])).values(),
]

async function validateFile(context: CommandContext, file: string, json: true | undefined): Promise<void> {
  const city = await context.city()
  const name = basename(file).replace(/(\.formula)?\.toml$/, '')
  const bytes = new Uint8Array(await readFile(resolve(context.io.cwd, file)))
  const { valid, errors } = await validate(city, name, bytes)
  if (json) printJson(context.io, { ...envelope({ valid, errors: errors ?? [] }), ok: valid })
  else if (valid) printLine(context.io, `${file}: no errors.`)
  for (const error of json ? [] : (errors ?? [])) context.io.err(`${file}: ${sanitizeLine(error)}\n`)
  if (!valid) throw new Exit(1)
}

const validate = (city: CityClient, name: string, bytes: Uint8Array<ArrayBuffer>) =>
  city.call('POST ~/formulas/{name}/validate', { params: { name }, bytes })

function previewCommand(formula: Command, context: CommandContext): void {
  withJson(formula.command('preview').description('check a formula and show its steps'))
    .argument('<formula>')
    .requiredOption('--target <agent|bead>', 'recipient: an agent, a bead or a convoy')
    .option('--var <key=value>', 'a variable of the formula; may be repeated', collectPair, {})
    .option('--rig <rig>', RIG)
    .action(async (name: string, options: RigOption & { target: string; var: Record<string, string> }) => {
      const city = await context.city()
      const rig = await context.rig(city, options.rig)
      const { name: cityName } = await city.call('GET ~')
      const scope = rig ? { scope_kind: 'rig', scope_ref: rig } : { scope_kind: 'city', scope_ref: cityName }
      if (Object.keys(options.var).length > 0) {
        await city.call('POST ~/formulas/{name}/compile', {
          ...{ params: { name }, body: { vars: options.var, ...(rig && { rig }) } },
        })
      }
      const body = { target: options.target, vars: options.var, ...scope }
      const detail = await city.call('POST ~/formulas/{name}/preview', { params: { name }, body })
      if (options.json) return printJson(context.io, detail)
      for (const { id, title, kind } of detail.steps ?? []) {
        printLine(context.io, sanitizeLine(`${id}: ${title}${kind === 'task' ? '' : ` (${kind})`}`))
      }
    })
}

function versionCheckCommand(formula: Command, context: CommandContext): void {
  formula
    .command('version-check')
    .description('exit with 1 if the file of a formula has changed')
    .argument('<formula>')
    .argument('[hash]', 'gc.formula_hash of a run to compare with')
    .option('--run <run>', 'run to compare with; default is GC_WORKFLOW_ID')
    .option('--rig <rig>', RIG)
    .action(async (name: string, hash: string | undefined, options: RigOption & { run?: string }) => {
      const city = await context.city()
      const rig = await context.rig(city, options.rig)
      const run = options.run ?? context.io.env.GC_WORKFLOW_ID
      const before = hash ?? (run && (await hashOf(city, run)))
      if (!before) throw failure('compared with what? Give the hash of a run, or --run <run>')
      const compiled = await city.call('POST ~/formulas/{name}/compile', {
        ...{ params: { name }, body: { ...(rig && { rig }) } },
      })
      if (compiled.hash !== before) throw new Exit(1)
    })
}

async function hashOf(city: CityClient, run: string): Promise<string | undefined> {
  const bead = await city.call('GET ~/bead/{id}', { params: { id: run } })
  return bead.metadata?.['gc.formula_hash']
}

function printMessages({ io }: CommandContext, messages: readonly Message[], word?: string): void {
  for (const message of messages) io.err(`${word ? `${word}: ` : ''}${sanitizeLine(place(message))}\n`)
}

const place = ({ file, line, step, message }: Message): string =>
  `${file}:${line}: ${step === undefined ? '' : `step "${step}": `}${message}`
