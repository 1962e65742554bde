import type { CityClient } from '../../src/client/client.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { RigLandUpdate } from '../../src/config/rig-api/index.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { usageError } from '../io/exit.ts'
import { printJson } from '../io/io.ts'
import { printFields } from '../io/table.ts'

export type LandMode = NonNullable<RigLandUpdate['mode']>

export interface LandOptions extends JsonOption {
  mode?: LandMode
  target?: string
  remote?: string
  check?: string
  checkTimeout?: string
  batch?: number
  confirmRed?: boolean
  checkEarly?: boolean
  strategy?: 'squash' | 'merge'
  parallel?: number
  generated?: string[]
  protect?: string[]
  holdLarge?: number
  tries?: number
  turnTimeout?: string
  deleteBranch?: boolean
  sign?: boolean
  labels?: string[]
  draft?: boolean
  auto?: boolean
  autoMaxLines?: number
  autoPaths?: string[]
  forge?: 'github' | 'gitea' | 'forgejo'
  forgeUrl?: string
  forgeRepository?: string
  unset?: string[]
}

/** The words of a command that a shell would pass. */
export async function commandWords(text: string): Promise<string[]> {
  const { splitCommand } = await import('../../src/config/providers/command-words.ts')
  const words = splitCommand(text)
  if (words.length === 0) throw usageError('the check must be a command, such as "npm test"')
  return words
}

async function generatedOf(text: string): Promise<{ glob: string; command: string[] }> {
  const at = text.indexOf('=')
  if (at < 1) throw usageError('--generated must look like "package-lock.json=npm install --package-lock-only"')
  return { glob: text.slice(0, at), command: await commandWords(text.slice(at + 1)) }
}

/** Shows how the branches of a rig land, after changing it as the options say. */
export async function landRig(context: CommandContext, name: string, options: LandOptions): Promise<void> {
  const city = await context.city()
  const body = await changeOf(city, name, options)
  if (Object.values(body).some((value) => value !== undefined)) await changeLanding(city, name, body)
  const land = await city.call('GET ~/rig/{name}/land/settings', { params: { name } })
  if (options.json) return printJson(context.io, land)
  const { check, auto, forge, generated } = land
  printFields(context.io, [
    ['rig', name],
    ['mode', land.declared ? land.mode : 'off, since nothing is declared'],
    ['target', land.target ?? 'the default branch'],
    ['remote', land.remote],
    ['check', check ? `${sanitizeLine(shown(check))}, at most ${land.check_timeout}` : 'nothing is checked'],
    [
      'early',
      check && (land.check_early ? 'branches are checked before approval' : 'only approved branches are checked'),
    ],
    ['batch', `${land.batch}, ${land.parallel} in parallel, ${land.strategy}`],
    ['conflicts', `${land.tries} tries, ${land.turn_timeout} each`],
    ['protected', land.protected_paths.join(', ')],
    ['held', land.hold.join(', ')],
    ['generated', generated.map(({ glob, command }) => `${glob} by ${shown(command)}`).join('; ')],
    ['automatic', auto ? `green${auto.max_lines === undefined ? '' : `, at most ${auto.max_lines} lines`}` : undefined],
    ['forge', forge ? `${forge.kind}, ${forge.url}/${forge.repository}` : undefined],
  ])
}

const shown = (words: readonly string[]): string =>
  words.map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ')

export const changeLanding = (city: CityClient, name: string, body: RigLandUpdate): Promise<unknown> =>
  city.call('PATCH ~/rig/{name}/land/settings', { params: { name }, body })

/** The changes that the options ask for. Tables are read first, since an option is one key of them. */
async function changeOf(city: CityClient, name: string, options: LandOptions): Promise<RigLandUpdate> {
  const {
    check,
    checkTimeout,
    confirmRed,
    checkEarly,
    protect,
    holdLarge,
    turnTimeout,
    deleteBranch,
    unset = [],
  } = options
  const { mode, target, remote, batch, strategy, parallel, generated, tries, sign } = options
  return {
    ...{ mode, target, remote, batch, strategy, parallel, tries, sign },
    ...(check !== undefined && { check: await commandWords(check) }),
    ...(generated && { generated: await Promise.all(generated.map(generatedOf)) }),
    ...{ check_timeout: checkTimeout, confirm_red: confirmRed, check_early: checkEarly, protected_paths: protect },
    ...{ turn_timeout: turnTimeout, delete_branch: deleteBranch },
    hold: holdLarge === undefined ? undefined : holdLarge === 0 ? null : [`large:${holdLarge}`],
    ...(await tablesOf(city, name, options)),
    ...Object.fromEntries(unset.map((key) => [requireKey(key), null])),
  }
}

const KEYS = new Set([
  ...[
    'target',
    'remote',
    'check',
    'check_timeout',
    'batch',
    'confirm_red',
    'check_early',
    'strategy',
    'parallel',
    'generated',
  ],
  ...['protected_paths', 'hold', 'tries', 'turn_timeout', 'delete_branch', 'sign', 'pr', 'auto', 'forge'],
])

function requireKey(key: string): string {
  if (KEYS.has(key)) return key
  throw usageError(`"${key}" is not a key of [rigs.land]; these can be unset: ${[...KEYS].join(', ')}`)
}

async function tablesOf(
  city: CityClient,
  name: string,
  options: LandOptions,
): Promise<Pick<RigLandUpdate, 'pr' | 'auto' | 'forge'>> {
  const { labels, draft, auto, autoMaxLines, autoPaths, forge, forgeUrl, forgeRepository } = options
  const changesPr = labels !== undefined || draft !== undefined
  const changesAuto = auto !== undefined || autoMaxLines !== undefined || autoPaths !== undefined
  const changesForge = forge !== undefined || forgeUrl !== undefined || forgeRepository !== undefined
  if (!changesPr && !changesAuto && !changesForge) return {}
  const before = await city.call('GET ~/rig/{name}/land/settings', { params: { name } })
  const rules = { max_lines: autoMaxLines ?? before.auto?.max_lines, paths: autoPaths ?? before.auto?.paths }
  return {
    ...(changesPr && { pr: { labels: labels ?? before.pr.labels, draft: draft ?? before.pr.draft } }),
    ...(changesAuto && { auto: auto === false ? null : { check: 'green', ...rules } }),
    ...(changesForge && { forge: forgeOf(before.forge, options) }),
  }
}

function forgeOf(before: RigLandUpdate['forge'], options: LandOptions): RigLandUpdate['forge'] {
  const kind = options.forge ?? before?.kind
  const url = options.forgeUrl ?? before?.url
  const repository = options.forgeRepository ?? before?.repository
  if (kind && url && repository) return { kind, url, repository }
  throw usageError('a forge needs --forge, --forge-url and --forge-repository')
}
