import { isAbsolute, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import { sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { CityPacks } from '../../src/config/offline/index.ts'
import type { CommandContext } from '../context/context.ts'
import { withItems } from '../context/envelope.ts'
import { type JsonOption, parseCount, withJson } from '../context/options.ts'
import { Exit, failure, notFound } from '../io/exit.ts'
import { printLine } from '../io/io.ts'
import { openPacks, printResult, reloadConfig, visibleOf } from '../pack/open.ts'
import { importJson, lockedWord, printCells, printPrograms, printTree } from '../pack/print.ts'
import { credentialCommands } from './credential.ts'

interface AddOptions extends JsonOption {
  name?: string
  version?: string
  rig?: string
}

interface PruneOptions extends JsonOption {
  apply?: true
  keepDays: number
  allCities?: true
}

const DAY_MS = 24 * 60 * 60_000
const NO_IMPORTS = 'The city imports no packs; `gc import add <source>` imports one.'

export function importCommands(program: Command, context: CommandContext): void {
  const group = program.command('import').description('manage the packs that a city imports')
  addCommand(group, context)
  withJson(group.command('remove').description('remove an import'))
    .argument('<pack>', 'name of the import')
    .option('--rig <rig>', 'rig of the import')
    .action((name: string, options: AddOptions, command: Command) => remove(context, name, options, command))
  withJson(group.command('install').description('fetch the packs in packs.lock')).action(
    (options: JsonOption, command: Command) => install(context, options, command),
  )
  withJson(group.command('upgrade').description('lock and fetch the newest matching versions'))
    .argument('[pack]', 'only this import')
    .action((name: string | undefined, options: JsonOption, command: Command) =>
      upgrade(context, name, options, command),
    )
  withJson(group.command('list').description('list imports'))
    .option('--tree', 'include the imports of packs')
    .action((options: JsonOption & { tree?: true }, command: Command) => list(context, options, command))
  withJson(group.command('status').description('show each import with its locked version')).action(
    (options: JsonOption, command: Command) => status(context, options, command),
  )
  withJson(group.command('check').description('check for missing packs; status 1 if any is missing')).action(
    (options: JsonOption, command: Command) => check(context, options, command),
  )
  withJson(group.command('why').description('show what pulls in a pack'))
    .argument('<pack>', 'the name or source of an import')
    .action((name: string, options: JsonOption, command: Command) => why(context, name, options, command))
  withJson(group.command('prune').description('list fetched packs that no city uses'))
    .option('--apply', 'remove them')
    .option('--keep-days <days>', 'keep packs fetched in the last days', parseCount, 7)
    .option('--all-cities', 'check the locks of all cities; needs a supervisor')
    .action((options: PruneOptions, command: Command) => prune(context, options, command))
  credentialCommands(group, context)
}

function addCommand(group: Command, context: CommandContext): void {
  withJson(group.command('add').description('fetch a pack and import it'))
    .argument('<source>', 'folder, or address of a repository with //<folder>')
    .option('--name <name>', 'name of the import; default is the last word of the source')
    .option('--version <version>', 'such as ^1.2, or sha:<commit>; default is the newest')
    .option('--rig <rig>', 'import for this rig only')
    .action((source: string, options: AddOptions, command: Command) => add(context, source, options, command))
}

async function add(context: CommandContext, source: string, options: AddOptions, command: Command): Promise<void> {
  if (context.io.env.GC_TOKEN) return addAsSession(context, source, options)
  const { path, packs } = await openPacks(context, command)
  const before = namesOf(packs)
  const known = new Set(packs.lints())
  const named = fromCity(path, context.io.cwd, source)
  const { name, version, rig } = options
  const added = await packs.manager.add(named, {
    ...(name && { name }),
    ...(version && { version }),
    ...(rig && { rig }),
  })
  await reloadConfig(context, path)
  const shown = { name: added.name, source: added.source, ...(added.version && { version: added.version }) }
  if (options.json) {
    const programs = packs.programs()
    return printResult(context, { command: 'import add', ...shown, git_backed: added.isGit, programs })
  }
  printLine(context.io, `Added import "${added.name}" from ${added.source}`)
  for (const lint of packs.lints()) if (!known.has(lint)) context.io.err(`gc: ${sanitizeLine(lint)}\n`)
  printNewPrograms(context, packs, before)
}

/** Imports packs for one rig; returns their names. */
export async function importForRig(
  context: CommandContext,
  sources: readonly string[],
  rig: string,
  command: Command,
): Promise<string[]> {
  const { path, packs } = await openPacks(context, command)
  const names: string[] = []
  for (const source of sources) {
    const { name } = await packs.manager.add(fromCity(path, context.io.cwd, source), { rig })
    names.push(name)
  }
  await reloadConfig(context, path)
  return names
}

/** A program of an agent imports what its agent may import: through the supervisor, from public hosts. */
async function addAsSession(
  context: CommandContext,
  source: string,
  { name, version, rig, json }: AddOptions,
): Promise<void> {
  if (rig) throw failure('a session imports packs for its city only; leave --rig out')
  const city = await context.city()
  const body = { source, ...(name && { name }), ...(version && { version }) }
  const added = await city.call('POST ~/packs', { body })
  if (json) return printResult(context, { command: 'import add', ...added })
  printLine(context.io, `Added import "${added.name}" from ${added.source}`)
}

async function remove(
  context: CommandContext,
  name: string,
  { rig, json }: AddOptions,
  command: Command,
): Promise<void> {
  if (context.io.env.GC_TOKEN) {
    const city = await context.city()
    await city.call('DELETE ~/packs/{name}', { params: { name } })
  } else {
    const { path, packs } = await openPacks(context, command)
    await packs.manager.remove(name, rig)
    await reloadConfig(context, path)
  }
  if (json) return printResult(context, { command: 'import remove', name })
  printLine(context.io, `Removed import "${name}"`)
}

async function install(context: CommandContext, { json }: JsonOption, command: Command): Promise<void> {
  const { path, packs } = await openPacks(context, command)
  const lock = await packs.manager.install()
  await reloadConfig(context, path)
  if (json) return printResult(context, { command: 'import install', packs: lockJson(lock) })
  printLine(context.io, lock.size === 0 ? 'No remote packs are imported.' : `Installed ${lock.size} remote import(s)`)
}

async function upgrade(
  context: CommandContext,
  name: string | undefined,
  { json }: JsonOption,
  command: Command,
): Promise<void> {
  requirePerson(context, 'upgrade')
  const { path, packs } = await openPacks(context, command)
  const before = packs.lock()
  const programs = namesOf(packs)
  const lock = await packs.manager.upgrade(name)
  await reloadConfig(context, path)
  const changed = [...lock].filter(([source, { commit }]) => before.get(source)?.commit !== commit)
  if (json)
    return printResult(context, {
      command: 'import upgrade',
      packs: lockJson(lock),
      upgraded: changed.map(([source]) => source),
      programs: packs.programs(),
    })
  if (changed.length === 0) printLine(context.io, 'Everything is at its newest version that fits.')
  for (const [source, { version }] of changed) {
    printLine(context.io, `Upgraded ${source} from ${before.get(source)?.version ?? 'nothing'} to ${version}`)
  }
  printNewPrograms(context, packs, programs)
}

async function list(
  context: CommandContext,
  { tree, json }: JsonOption & { tree?: true },
  command: Command,
): Promise<void> {
  const { path, packs } = await openPacks(context, command)
  const visible = await visibleOf(context, path)
  const states = visible(packs.states()).filter(
    ({ declared }) => declared.owner.kind === 'pack' || declared.owner.kind === 'city',
  )
  if (json) {
    const imports = states.map((state) => ({ ...importJson(state), name: state.declared.binding }))
    return printResult(context, withItems({ imports }, imports))
  }
  if (tree)
    return printTree(
      context.io,
      visible(packs.tree()).filter(({ declared }) => declared.owner.kind === 'pack' || declared.owner.kind === 'city'),
    )
  if (states.length === 0) printLine(context.io, NO_IMPORTS)
  for (const state of states) {
    const { binding, source, version = '' } = state.declared
    printCells(context.io, binding, source, version, lockedWord(state))
  }
}

async function status(context: CommandContext, { json }: JsonOption, command: Command): Promise<void> {
  const { path, packs } = await openPacks(context, command)
  const visible = await visibleOf(context, path)
  const states = visible(packs.states())
  if (json) {
    const shown = { root: path, packs_lock_path: packs.lockPath, imports: states.map(importJson) }
    return printResult(context, { ...shown, locked_packs: visible(lockJson(packs.lock())) })
  }
  if (states.length === 0) printLine(context.io, NO_IMPORTS)
  for (const state of states) {
    const { location } = state
    const place = location.kind === 'missing' ? `missing: ${location.reason}` : location.folder
    printCells(context.io, importJson(state).name, state.declared.source, lockedWord(state), place)
  }
}

async function check(context: CommandContext, { json }: JsonOption, command: Command): Promise<void> {
  const { path, packs } = await openPacks(context, command)
  const visible = await visibleOf(context, path)
  const issues = visible(packs.issues())
  if (json) printResult(context, { ok: issues.length === 0, issues })
  else if (issues.length === 0) printLine(context.io, 'Import state is OK')
  else {
    const lines = issues.map(({ severity, code, message, path, repair }) =>
      [`  [${severity}] ${code}`, `      issue: ${message}`, `      path: ${path}`, `      repair: ${repair}`].join(
        '\n',
      ),
    )
    printLine(context.io, sanitizeLines([`Import state has ${issues.length} issue(s):`, ...lines].join('\n')))
  }
  if (issues.length > 0) throw new Exit(1)
}

async function why(context: CommandContext, name: string, { json }: JsonOption, command: Command): Promise<void> {
  const { path, packs } = await openPacks(context, command)
  const { findWays } = await import('../../src/config/packs/import-states.ts')
  const visible = await visibleOf(context, path)
  const ways = visible(findWays(packs.tree(), name))
  if (ways.length === 0) throw notFound('pack-not-found', `there is no import "${name}"`)
  if (json) {
    const shown = ways.map((way) => way.map(({ declared }) => ({ name: declared.binding, source: declared.source })))
    return printResult(context, { name, ways: shown })
  }
  for (const way of ways) {
    const above = way.slice(0, -1).map(({ declared }) => declared.binding)
    printLine(
      context.io,
      sanitizeLine(above.length === 0 ? `${name} is a direct import` : `${name} is imported by ${above.join(' → ')}`),
    )
    printLine(context.io, sanitizeLine(`source: ${way.at(-1)?.declared.source}`))
  }
}

async function prune(context: CommandContext, options: PruneOptions, command: Command): Promise<void> {
  requirePerson(context, 'prune')
  const { path, packs } = await openPacks(context, command)
  const cities = await otherCities(context, options)
  const before = Date.now() - options.keepDays * DAY_MS
  const unused = await packs.prune([path, ...cities], { before, apply: options.apply === true })
  if (options.json)
    return printResult(context, withItems({ command: 'import prune', applied: options.apply === true, unused }, unused))
  for (const each of unused) printLine(context.io, `${options.apply ? 'Removed' : 'Unused:'} ${each}`)
  if (unused.length === 0) printLine(context.io, 'Nothing to prune')
  else if (!options.apply) printLine(context.io, 'Run it again with --apply to remove these.')
}

/** Packs that other cities lock are never removed: without a supervisor to list them, nothing is removed. */
async function otherCities(context: CommandContext, { apply, allCities }: PruneOptions): Promise<string[]> {
  if (!apply && !allCities) return (await context.cities().catch(() => [])).map(({ path }) => path)
  try {
    return (await context.cities()).map(({ path }) => path)
  } catch {
    const home = resolveHome(context.io.env)
    throw failure(
      `other cities may use what lies in ${home}/cache: start the supervisor with \`gc serve\`, so that it names them`,
    )
  }
}

function requirePerson({ io }: CommandContext, verb: string): void {
  if (io.env.GC_TOKEN)
    throw failure(`\`gc import ${verb}\` is for a person, not for a program that gc started; ask one`)
}

/** A folder as the city's files name it: from the city when it lies in it. */
function fromCity(city: string, cwd: string, source: string): string {
  if (/^(git@|[a-z]+:\/\/|github\.com\/)/.test(source)) return source
  const folder = resolve(cwd, source)
  const inner = relative(city, folder)
  return inner.startsWith('..') || isAbsolute(inner) ? folder : `./${inner}`
}

const lockJson = (lock: ReturnType<CityPacks['lock']>) => [...lock].map(([source, pin]) => ({ source, ...pin }))

const namesOf = (packs: CityPacks): ReadonlySet<string> => new Set(packs.programs().map((each) => JSON.stringify(each)))

function printNewPrograms({ io }: CommandContext, packs: CityPacks, before: ReadonlySet<string>): void {
  const added = packs.programs().filter((each) => !before.has(JSON.stringify(each)))
  printPrograms(io, added, 'It brings programs that run automatically:')
}
