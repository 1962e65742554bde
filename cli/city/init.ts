import { cpSync, existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { ApiError } from '../../src/client/errors.ts'
import { resolveHome } from '../../src/client/home.ts'
import { parseAmount } from '../budget/budget.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { collectList, parseCount, withAgentSettings, withJson } from '../context/options.ts'
import { waitForOpening } from '../context/requests.ts'
import { errorSentence } from '../io/describe-error.ts'
import { Exit, failure, usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { packsAt } from '../pack/open.ts'
import type { FirstRunOptions } from '../setup/first-run.ts'

const ALREADY_A_CITY = 2

interface Init extends FirstRunOptions {
  provider?: string
  defaultProvider?: string
  template?: string
  from?: string
  file?: string
  providers?: string[]
}

/** The options that set up a first agent as well. */
const OF_FIRST_RUN = [
  ...(['rig', 'program', 'worktree', 'permissionMode', 'model', 'max', 'confine', 'shareLogin', 'budget'] as const),
]

const TEMPLATES = ['minimal', 'empty', 'custom', 'gastown', 'gascity'] as const

export function initCommand(program: Command, context: CommandContext): void {
  withAgentSettings(withJson(program.command('init').description('create a city in a folder and start it')))
    .argument('[path]', 'folder, created if missing; gc asks without one')
    .option('--rig <rig>', 'folder of a project for its first agent; - for none')
    .option('--program <provider>', 'program of its first agent, such as claude or codex')
    .option('--max <n>', 'maximum sessions of its first agent; default is 1', parseCount)
    .option('--budget <limit>', 'daily budget, such as 5usd or 2M', parseAmount)
    .option('--provider <provider>', 'program of its agents, such as claude or codex')
    .option('--default-provider <provider>', 'the same as --provider')
    .option('--providers <providers>', 'programs to declare, separated by commas; default is the first', collectList)
    .option('--command <command>', 'command of its agents, instead of a provider')
    .option('--name <name>', 'name of the city; default is the folder’s')
    .addOption(new Option('--template <template>', 'initial contents').choices(TEMPLATES))
    .option('--from <folder>', 'city folder to copy, without its history')
    .option('--file <file>', 'initial city.toml')
    .option('--no-start', 'write its files without starting it')
    .option('--yes', 'use defaults without asking')
    .option('--preserve-existing', 'accepted: existing files are never replaced')
    .option('--skip-provider-readiness', 'accepted: `gc readiness` checks programs')
    .option('--bootstrap-profile <profile>', 'accepted')
    .option('--dolt-host <host>', 'accepted: gc has its own database')
    .option('--dolt-port <port>', 'accepted')
    .option('--dolt-user <user>', 'accepted')
    .option('--dolt-database <name>', 'accepted')
    .option('--dolt-project-id <id>', 'accepted')
    .action(async (path: string | undefined, options: Init, command: Command) => {
      const { hasPerson } = await import('../setup/talk.ts')
      const isAsking = !options.yes && !options.json && hasPerson(context.io)
      const isBare = path === undefined && command.options.every((option) => isUnset(command, option))
      if (!OF_FIRST_RUN.some((name) => options[name] !== undefined) && !(isBare && isAsking)) {
        return init(context, resolve(context.io.cwd, path ?? '.'), options)
      }
      const folder = resolve(context.io.cwd, path ?? '.')
      if ((path !== undefined || isBare) && existsSync(join(folder, 'city.toml'))) throw alreadyThere(folder)
      if (options.from || options.file || options.template || options.providers) {
        throw usageError('--from, --file, --template and --providers go without the options of a first agent')
      }
      const { firstRun } = await import('../setup/first-run.ts')
      const program = options.program ?? options.provider ?? options.defaultProvider
      await firstRun(context, path, { ...options, ...(program !== undefined && { program }) }, isAsking)
    })
}

const isUnset = (command: Command, option: Option): boolean =>
  command.getOptionValueSource(option.attributeName()) !== 'cli'

async function init(context: CommandContext, path: string, options: Init): Promise<void> {
  if (options.from && options.file) throw usageError('give --from or --file, not both')
  if (existsSync(join(path, 'city.toml'))) throw alreadyThere(path)
  const isPlain = !options.from && !options.file && !options.name && !options.providers && !packOf(options)
  const current = options.start ? await context.withSupervisor() : context
  if (isPlain && options.start) return createAndStart(current, path, options)
  await write(context, path, options)
  const pack = packOf(options)
  if (!options.start) return reportWritten(context, path, options, pack)
  if (pack) await fetchPack(context, path)
  const body = { path, ...(options.name && { name: options.name }) }
  await reportUp(current, path, await current.client.call('POST /v0/city/register', { body }), options)
}

/** Fetches what the template of a new city imports. */
async function fetchPack(context: CommandContext, path: string): Promise<void> {
  const packs = await packsAt(context, path)
  await packs.manager.install().catch((error: unknown) => {
    const next = `the city is written; in ${path}, \`gc import install\` fetches its pack and \`gc start\` starts it`
    throw failure(`${errorSentence(error, context.io.env)}\n${next}`)
  })
}

async function createAndStart(context: CommandContext, dir: string, options: Init): Promise<void> {
  const provider = options.provider ?? options.defaultProvider
  const body = { dir, ...(provider && { provider }), ...(options.command && { start_command: options.command }) }
  const accepted = await context.client.call('POST /v0/city', { body }).catch((error: unknown) => {
    const isThere = error instanceof ApiError && error.status === 409 && error.message.includes('already initialized')
    throw isThere ? alreadyThere(dir, error.message) : error
  })
  await reportUp(context, dir, accepted, options)
}

const alreadyThere = (path: string, message = `city already initialized at ${path}`): Exit =>
  new Exit(ALREADY_A_CITY, `${message}; \`gc start ${path}\` starts it`)

/** Writes the files of a new city. */
async function write(context: CommandContext, path: string, options: Init): Promise<void> {
  const { from, file } = options
  if (from === undefined && file === undefined) {
    const { createCity } = await import('../../src/config/offline/create-city.ts')
    const [first] = options.providers ?? []
    const provider = options.provider ?? options.defaultProvider ?? (options.command ? undefined : first)
    await createCity(path, {
      ...(options.name && { name: options.name }),
      ...(provider && { provider }),
      ...(options.command && { startCommand: options.command }),
      ...(options.providers && { providers: options.providers }),
    })
    writePack(path, options)
    return
  }
  if (from === undefined) {
    const text = await context.readFile(file ?? '-')
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'city.toml'), text, { flag: 'wx' })
  } else {
    copyCity(resolve(context.io.cwd, from), path)
  }
  nameCity(path, options.name)
}

/** Copies the files of a city: no state, no history and no links. */
function copyCity(from: string, to: string): void {
  if (!existsSync(join(from, 'city.toml'))) throw failure(`${from} is not a city: it has no city.toml`)
  if (`${to}/`.startsWith(`${from}/`)) throw failure('a city cannot be copied into itself')
  const skipped = new Set(['.gc', '.git', 'node_modules'])
  const isCopied = (source: string) => {
    const names = relative(from, source).split('/')
    return !names.some((name) => skipped.has(name)) && !lstatSync(source).isSymbolicLink()
  }
  cpSync(from, to, { recursive: true, errorOnExist: true, force: false, filter: isCopied })
}

function nameCity(path: string, name: string | undefined): void {
  if (name === undefined) return
  mkdirSync(join(path, '.gc'), { recursive: true })
  writeFileSync(join(path, '.gc', 'site.toml'), `workspace_name = ${JSON.stringify(name)}\n`, { flag: 'wx' })
}

const CORE = 'https://github.com/gastownhall/gascity.git//internal/bootstrap/packs/core'
const PACKS: Readonly<Record<string, string>> = {
  gastown: 'https://github.com/gastownhall/gascity-packs.git//gastown',
  gascity: 'https://github.com/gastownhall/gascity-packs.git//gascity',
}

/** The source of the pack that a template brings. */
const packOf = ({ template }: Init): string | undefined => (template === undefined ? undefined : PACKS[template])

function writePack(path: string, options: Init): void {
  const source = packOf(options)
  if (source === undefined) return
  const binding = options.template === 'gascity' ? 'gc' : 'gastown'
  const name = options.name ?? basename(path)
  const imports = Object.entries({ core: CORE, [binding]: source }).map(
    ([name, from]) => `\n[imports.${name}]\nsource = "${from}"\n`,
  )
  const text = `[pack]\nname = ${JSON.stringify(name)}\nschema = 2\n${imports.join('')}`
  writeFileSync(join(path, 'pack.toml'), text, { flag: 'wx' })
}

function reportWritten(context: CommandContext, path: string, options: Init, pack: string | undefined): void {
  const name = options.name ?? basename(path)
  const next = pack ? 'gc import install, then gc start' : 'gc start'
  const mode = options.from ? 'from' : options.file ? 'file' : (options.template ?? 'minimal')
  if (options.json)
    printJson(context.io, envelope({ command: 'init', city_path: path, city_name: name, mode, started: false }))
  else printLine(context.io, `City ${name} is written to ${path}. Next, in that folder: ${next}.`)
}

async function reportUp(
  context: CommandContext,
  folder: string,
  accepted: { request_id: string; event_cursor: string },
  options: Init,
): Promise<void> {
  const { payload } = await waitForOpening(context, accepted, folder)
  const [name, path] = [String(payload.name), String(payload.path)]
  if (options.json) return printJson(context.io, envelope({ ...payload, city_name: name, city_path: path }))
  printLine(context.io, `City ${name} is up at ${path}.`)
  if (options.from === undefined)
    printLine(context.io, `Next: gc --city ${name} rig add <folder>, then gc agent add <rig>/<name>.`)
  const { readDefaultMode } = await import('../../src/config/confinement/default-mode.ts')
  if (readDefaultMode(resolveHome(context.io.env)) === 'off') return
  printLine(context.io, 'Its agents run in a sandbox; `gc confine explain <agent>` lists its rules.')
}
