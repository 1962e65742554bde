import { basename, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { countOf, sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { collectList, type JsonOption, oldSpelling, parseCount, withJson } from '../context/options.ts'
import { rigListOutput } from '../context/pack-json.ts'
import { waitForCity } from '../context/requests.ts'
import { renderLive, type WatchOption, watched, withWatch } from '../context/watch.ts'
import { importForRig } from '../import/import.ts'
import { errorSentence } from '../io/describe-error.ts'
import { failure, usageError } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { printFields, printTable } from '../io/table.ts'
import type { Landing } from './choose-landing.ts'
import type { LandMode, LandOptions } from './land.ts'

interface Add extends JsonOption {
  name?: string
  prefix?: string
  defaultBranch?: string
  gitUrl?: string
  include?: string[]
  startSuspended?: true
  land?: LandMode
  landCheck?: string
  trust?: boolean
}

export function rigCommands(program: Command, context: CommandContext): void {
  const rig = program.command('rig').description('manage the projects that agents work on')
  addCommand(rig, context)
  withWatch(withJson(rig.command('list').description('list the rigs of the city'))).action(
    async (options: JsonOption & WatchOption) => {
      const city = await context.city()
      await renderLive(context, city, options, (io) => list(io, city, options))
    },
  )
  withWatch(withJson(rig.command('status').description('show a rig with its agents')))
    .argument('[rig]')
    .action(watched(context, status))
  withWatch(withJson(rig.command('show').description('show one rig')))
    .argument('<rig>')
    .action(watched(context, show))
  withJson(rig.command('remove').description('remove a rig; its folder stays'))
    .argument('<rig>')
    .action(async (name: string, options: JsonOption) => {
      const city = await context.city()
      const response = await city.call('DELETE ~/rig/{name}', { params: { name } })
      if (options.json) return printJson(context.io, response)
      printLine(context.io, `Rig ${name} was removed from ${city.name}; its folder is kept.`)
    })
  landCommand(rig, context)
  tokenCommands(rig, context)
  withJson(rig.command('trust').description('trust a rig and its worktrees in agent programs'))
    .argument('<rig>')
    .option('--revoke', 'revoke the trust')
    .action(async (name: string, options: JsonOption & { revoke?: true }) =>
      (await import('./trust.ts')).trust(context, name, options),
    )
  actions(rig, context)
}

function addCommand(rig: Command, context: CommandContext): void {
  withJson(rig.command('add').description('add a project to the city'))
    .argument('[folder]', 'folder; with --git-url, the target inside the city')
    .option('--name <name>', 'name of the rig; default is the folder’s')
    .option('--prefix <prefix>', 'prefix of its bead ids')
    .option('--default-branch <branch>', 'branch that work starts from')
    .option('--git-url <url>', 'repository to clone into the city')
    .option('--include <pack>', 'pack to import, as in `gc import add`; may be repeated', collectList)
    .option('--adopt', 'accepted: existing files always stay')
    .addOption(
      new Option('--land <mode>', 'landing mode of finished branches: off, push, pr or local').choices(LAND_MODES),
    )
    .option('--land-check <command>', 'command that must pass before a branch lands')
    .option('--trust', 'trust its agent program settings')
    .option('--no-trust', 'do not ask about trust; agent programs will')
    .option('--start-suspended', 'add it suspended')
    .action((folder: string | undefined, options: Add, command: Command) => add(context, folder, options, command))
}

async function add(context: CommandContext, folder: string | undefined, options: Add, command: Command): Promise<void> {
  if (!folder && !options.gitUrl) throw usageError('name the folder: `gc rig add <folder>`')
  if (options.include && context.io.env.GC_TOKEN) {
    throw failure('a session imports packs for its city only; leave --include out')
  }
  const city = await context.city()
  const path = options.gitUrl ? folder : resolve(context.io.cwd, folder ?? '')
  const name = options.name ?? basename(path ?? (options.gitUrl ?? '').replace(/\.git$/, ''))
  const { chooseLanding } = await import('./choose-landing.ts')
  const land = await chooseLanding(context.io, { ...options, name, folder: options.gitUrl ? undefined : path })
  const response = await city.call('POST ~/rigs', {
    body: {
      name,
      ...(path && { path }),
      ...(options.prefix && { prefix: options.prefix }),
      ...(options.defaultBranch && { default_branch: options.defaultBranch }),
      ...(options.gitUrl && { git_url: options.gitUrl }),
    },
  })
  const { status, request_id, event_cursor } = response
  if (status === 'accepted' && request_id && event_cursor)
    await waitForCity(context, city, { request_id, event_cursor })
  if (options.startSuspended)
    await city.call('POST ~/rig/{name}/{action}', { params: { name: response.rig ?? name, action: 'suspend' } })
  const imported = options.include
    ? await importForRig(context, options.include, response.rig ?? name, command).catch((error: unknown) => {
        throw failure(
          `rig ${response.rig ?? name} was added without its packs: ${errorSentence(error, context.io.env)}`,
        )
      })
    : []
  const isLanding = land !== undefined && (await landingOf(context, city, response.rig ?? name, land))
  const isTrusted =
    options.trust ??
    (!options.json &&
      (await (
        await import('./trust.ts')
      ).asksForTrust(context.io, response.rig ?? name, options.gitUrl ? undefined : path)))
  if (isTrusted) await city.call('POST ~/rig/{name}/trust', { params: { name: response.rig ?? name } })
  if (options.json) return printJson(context.io, response)
  const { warnings = [] } = response
  if (status === 'accepted') {
    const params = { name: response.rig ?? name }
    warnings.push(...((await city.call('GET ~/rig/{name}', { params })).problems ?? []))
  }
  const done = status === 'exists' && path && !options.gitUrl ? `is at ${path} now` : `was added to ${city.name}`
  printLine(context.io, `Rig ${response.rig ?? name} ${done}${isTrusted ? ', and programs trust it' : ''}.`)
  for (const warning of warnings) context.io.err(`warning: ${sanitizeLine(warning)}\n`)
  for (const pack of imported) printLine(context.io, `Added import "${pack}" for it.`)
  if (isLanding)
    printLine(context.io, `Its branches land by ${land.mode}; \`gc rig land ${name}\` shows and changes how.`)
}

/** Declares how the branches of a new rig land; without it, the rig was added all the same. */
async function landingOf(context: CommandContext, city: CityClient, name: string, land: Landing): Promise<boolean> {
  const { changeLanding } = await import('./land.ts')
  await changeLanding(city, name, land).catch((error: unknown) => {
    const reason = errorSentence(error, context.io.env)
    throw failure(`rig ${name} was added, and its branches do not land: ${reason}`)
  })
  return land.mode !== 'off'
}

interface TokenOptions extends JsonOption {
  host: string
}

/** Tokens are for a person to give, and are read from standard input: a command line can be read by others. */
function tokenCommands(rig: Command, context: CommandContext): void {
  const token = rig.command('token').description('manage forge tokens for pull requests')
  withJson(token.command('add').description('store a token from standard input or the keyboard'))
    .requiredOption('--host <host>', 'host that receives the token, such as github.com')
    .action(async ({ host, ...options }: TokenOptions) => {
      const { addToken } = await import('./token.ts')
      await addToken(context, host, options)
    })
  withJson(token.command('list').description('list the hosts that have a token')).action(
    async (options: JsonOption) => {
      const { listTokens } = await import('./token.ts')
      await listTokens(context, options)
    },
  )
  withJson(token.command('remove').description('remove the token for a host'))
    .requiredOption('--host <host>', 'host of the token')
    .action(async ({ host, ...options }: TokenOptions) => {
      const { removeToken } = await import('./token.ts')
      await removeToken(context, host, options)
    })
}

const LAND_MODES: readonly LandMode[] = ['off', 'push', 'pr', 'local']

/** Collects the values of an option that is repeated and may hold commas. */
const collectText = (text: string, before: string[] = []): string[] => [...before, text]

function landCommand(rig: Command, context: CommandContext): void {
  const land = withJson(rig.command('land').description('show or change how branches of a rig land'))
    .argument('<rig>')
    .addOption(new Option('--mode <mode>', 'landing mode: off, push, pr or local').choices(LAND_MODES))
    .option('--target <branch>', 'branch that changes land on')
    .option('--remote <name>', 'remote; default is origin')
    .option('--check <command>', 'command that must pass')
    .option('--check-timeout <duration>', 'maximum duration of a check, such as 20m')
    .option('--batch <n>', 'maximum branches checked together', parseCount)
    .option('--check-early', 'check branches before you approve them')
    .option('--no-check-early', 'check only what is approved')
    .option('--confirm-red', 'repeat a failed check before blaming a branch')
    .option('--no-confirm-red', 'blame a branch after one failed check')
    .addOption(new Option('--strategy <strategy>', 'squash or merge').choices(['squash', 'merge']))
    .option('--parallel <n>', 'maximum simultaneous checks', parseCount)
    .option('--generated <glob=command>', 'files that a command regenerates; may be repeated', collectText)
    .option('--protect <globs>', 'paths that need an operator’s approval to land', collectList)
    .option('--hold-large <lines>', 'minimum lines of a change that is held', parseCount)
    .option('--tries <n>', 'maximum attempts to resolve a conflict', parseCount)
    .option('--turn-timeout <duration>', 'maximum time to resolve a conflict')
    .option('--delete-branch', 'delete landed branches on the remote')
    .option('--no-delete-branch', 'keep landed branches on the remote')
    .option('--sign', 'sign landed commits')
    .option('--no-sign', 'do not sign landed commits')
  withForgeOptions(land).action(async (name: string, options: LandOptions) => {
    const { landRig } = await import('./land.ts')
    await landRig(context, name, options)
  })
}

const withForgeOptions = (command: Command): Command =>
  command
    .option('--labels <labels>', 'labels of new pull requests', collectList)
    .addOption(oldSpelling('--label <labels>', 'labels').argParser(collectList))
    .option('--draft', 'open pull requests as drafts')
    .option('--no-draft', 'open pull requests ready for review')
    .option('--auto', 'land changes without approval if their check passes')
    .option('--no-auto', 'require approval for every landing')
    .option('--auto-max-lines <n>', 'maximum lines of an automatic landing', parseCount)
    .option('--auto-paths <globs>', 'allowed paths of an automatic landing', collectList)
    .addOption(new Option('--forge <kind>', 'github, gitea or forgejo').choices(['github', 'gitea', 'forgejo']))
    .option('--forge-url <url>', 'web address of the forge')
    .option('--forge-repository <owner/name>', 'repository on the forge')
    .option('--unset <keys>', 'keys to reset, separated by commas', collectList)

async function list(io: Io, city: CityClient, options: JsonOption): Promise<void> {
  const rigs = await city.call('GET ~/rigs')
  if (options.json) return printJson(io, await rigListOutput(city, rigs))
  printTable(
    io,
    rigs.items,
    [
      { header: 'RIG', value: ({ name }) => name },
      { header: 'PREFIX', value: ({ prefix }) => prefix },
      { header: 'AGENTS', value: ({ agent_count }) => String(agent_count) },
      { header: 'RUNNING', value: ({ running_count }) => String(running_count) },
      {
        header: 'STATE',
        value: ({ suspended }) => (suspended ? 'suspended' : 'working'),
        colour: ({ suspended }) => (suspended ? 'yellow' : 'green'),
      },
      { header: 'FOLDER', value: ({ path }) => path, minWidth: 12 },
      { header: 'PROBLEM', value: ({ problems }) => problems?.join('. '), below: '→ ' },
    ],
    `${city.name} has no rig yet; add one with \`gc rig add <folder>\`.`,
  )
}

async function show(context: CommandContext, name: string, options: JsonOption): Promise<void> {
  const city = await context.city()
  const rig = await city.call('GET ~/rig/{name}', { params: { name }, query: { git: true } })
  if (options.json) return printJson(context.io, rig)
  const { git } = rig
  printFields(context.io, [
    ['rig', rig.name],
    ['folder', rig.path],
    ['prefix', rig.prefix],
    [
      'branch',
      git
        ? `${git.branch}, ${git.clean ? 'clean' : `${countOf(git.changed_files, 'file')} changed`}`
        : rig.default_branch,
    ],
    ['agents', `${rig.agent_count}, ${countOf(rig.running_count, 'session')} running`],
    ['state', rig.suspended ? 'suspended' : 'working'],
    ['last activity', rig.last_activity],
    ...(rig.problems ?? []).map((problem): [string, string] => ['problem', problem]),
  ])
}

const ACTIONS = {
  suspend: ['start no new sessions for a rig', 'is suspended'],
  resume: ['resume a suspended rig', 'is resumed'],
  restart: ['restart the sessions of a rig’s agents', 'is restarting'],
} as const

function actions(rig: Command, context: CommandContext): void {
  for (const [action, [description, then]] of Object.entries(ACTIONS)) {
    withJson(rig.command(action).description(description))
      .argument('<rig>')
      .action(async (name: string, options: JsonOption) => {
        const city = await context.city()
        const response = await city.call('POST ~/rig/{name}/{action}', { params: { name, action } })
        const failed = response.failed ?? []
        if (options.json) printJson(context.io, response)
        else if (failed.length === 0) printLine(context.io, `Rig ${name} ${then}.`)
        if (failed.length > 0) throw failure(`could not end these sessions of rig ${name}: ${failed.join(', ')}`)
      })
  }
}

async function status(context: CommandContext, given: string | undefined, options: JsonOption): Promise<void> {
  const city = await context.city()
  const name = await context.rig(city, given)
  if (!name) throw usageError('name the rig: `gc rig status <rig>`')
  const rig = await city.call('GET ~/rig/{name}', { params: { name } })
  const { agent_details = [] } = await city.call('GET ~/status')
  const agents = agent_details
    .filter(({ qualified_name }) => qualified_name.startsWith(`${name}/`))
    .map((agent) => ({
      ...agent,
      runtime_session_name: agent.session_name ?? '',
      draining: agent.draining === true,
      status: agent.suspended ? 'suspended' : agent.draining ? 'draining' : agent.running ? 'running' : 'stopped',
    }))
  if (options.json) {
    const { path, prefix = '', default_branch, suspended } = rig
    const shown = { name, path, prefix, ...(default_branch && { default_branch }), suspended, beads: 'initialized' }
    return printJson(context.io, envelope({ rig: shown, agents }))
  }
  printFields(context.io, [
    ['rig', rig.name],
    ['folder', rig.path],
    ['state', rig.suspended ? 'suspended' : 'working'],
  ])
  printTable(
    context.io,
    agents,
    [
      { header: 'AGENT', value: ({ qualified_name }) => qualified_name },
      { header: 'STATE', value: (agent) => agent.status },
      { header: 'SESSION', value: ({ session_name }) => session_name, minWidth: 8 },
    ],
    `No agents work in ${name}; add one with \`gc agent add ${name}/<name>\`.`,
  )
}
