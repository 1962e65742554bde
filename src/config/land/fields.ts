import { parseDuration } from '../../core/durations.ts'
import {
  boolean,
  type Declaration,
  type FieldReader,
  integer,
  mergeFields,
  oneOf,
  type SectionReader,
  table,
  type ValuesOf,
} from '../declare/index.ts'

/** The ends to which finished branches are brought: pushed by gc, merged as pull requests, merged without a remote. */
export const LAND_MODES = ['off', 'push', 'pr', 'local'] as const
export type LandMode = (typeof LAND_MODES)[number]

export const LAND_STRATEGIES = ['squash', 'merge'] as const
export type LandStrategy = (typeof LAND_STRATEGIES)[number]

/** Programs that serve repositories with an interface that gc knows. `forgejo` is another word for `gitea`. */
export const FORGE_KINDS = ['github', 'gitea', 'forgejo'] as const

/** A command that makes files again which a program generates. */
export interface GeneratedFiles {
  readonly glob: string
  readonly command: readonly string[]
}

/** The limits above which a branch waits for a person. */
export interface LandHold {
  /** Lines that it adds and removes, from which on it is large. */
  readonly large?: number
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

const MAX_ITEMS = 1000
const MAX_LENGTH = 1024
const SHELL = /^(?:&&?|\|\|?|;|[0-9]?>{1,2}|<)$/

/** A text with a check of its own: `judge` returns the problem. */
function judged(key: string, judge: (text: string) => string | undefined): FieldReader<string> {
  const read = (section: SectionReader) => {
    const value = section.string(key)
    const problem = value === undefined ? undefined : judge(value)
    if (problem === undefined) return value
    section.error(key, `"${value}" ${problem}`)
    return undefined
  }
  return { key, read }
}

/** A list of such texts. */
function listOf(key: string, judge: (text: string) => string | undefined): FieldReader<string[]> {
  const read = (section: SectionReader) => {
    const items = section.strings(key)
    if (items && items.length > MAX_ITEMS) {
      section.error(key, `must have ${MAX_ITEMS} entries or less, not ${items.length}`)
    }
    return items?.slice(0, MAX_ITEMS).filter((item) => {
      const problem = judge(item)
      if (problem !== undefined) section.error(key, `"${item.slice(0, MAX_LENGTH)}" ${problem}`)
      return problem === undefined
    })
  }
  return { key, read }
}

/** A duration in milliseconds between two bounds; unlike elsewhere, one that cannot be read is an error. */
function bounded(key: string, { min, max, bounds }: { min: number; max: number; bounds: string }): FieldReader<number> {
  const read = (section: SectionReader) => {
    const written = section.string(key)
    if (written === undefined) return undefined
    const ms = parseDuration(written)
    if (ms !== undefined && ms >= min && ms <= max) return ms
    section.error(key, `"${written}" must be a duration from ${bounds}, such as 20m`)
    return undefined
  }
  return { key, read }
}

/** The words of a command: a list, or a text without quotes that is split at spaces. */
function words(key: string): FieldReader<string[]> {
  return {
    key,
    read(section) {
      const list = commandOf(section, key)
      const problem = list && commandProblem(list)
      if (problem === undefined) return list
      section.error(key, problem)
      return undefined
    },
  }
}

function commandOf(section: SectionReader, key: string): string[] | undefined {
  const node = section.node(key)
  if (node?.kind !== 'string') return section.strings(key)
  if (!/["'\\`$]/.test(node.value)) return node.value.split(/\s+/).filter(Boolean)
  section.error(key, 'has quotes: write it as a list, such as ["sh", "-c", "npm ci && npm test"]')
  return undefined
}

function commandProblem(list: readonly string[]): string | undefined {
  const [program = ''] = list
  if (program === '' && list.length > 0) return 'must begin with a program, such as ["npm", "test"]'
  if (list.length > MAX_ITEMS) return `must have ${MAX_ITEMS} words or less, not ${list.length}`
  if (list.some((word) => word.includes('\0'))) return 'must not hold a NUL character'
  const shell = list.find((word) => SHELL.test(word))
  if (shell === undefined) return undefined
  return `passes "${shell}" to ${program}: a list is run without a shell; write ["sh", "-c", "first && second"]`
}

/** A branch as git takes it. */
export function branchProblem(name: string): string | undefined {
  const isBranch =
    name.length <= 255 &&
    !/^[-/]|^@$|\.\.|@\{|\/\/|\/\.|^\.|\.$|\/$|\.lock(?:\/|$)|[\0-\x20\x7f~^:?*[\\]/.test(name) &&
    name.isWellFormed()
  return isBranch ? undefined : 'is not a name that git takes for a branch; write main or release/2'
}

function remoteProblem(name: string): string | undefined {
  return /^[A-Za-z0-9][\w.-]{0,99}$/.test(name)
    ? undefined
    : 'is not the name of a remote, such as origin; `git remote` lists them'
}

function globProblem(glob: string): string | undefined {
  if (glob === '' || glob.length > MAX_LENGTH) return `must have 1 to ${MAX_LENGTH} characters`
  if (glob.startsWith('/') || glob.split('/').includes('..')) {
    return 'must be a path from the top of the repository, such as package-lock.json or docs/**'
  }
  return /[\0\n\r]/.test(glob) ? 'must be one line' : undefined
}

function labelProblem(label: string): string | undefined {
  const isLabel = label.trim() !== '' && label.length <= 50 && !/\p{Cc}/u.test(label)
  return isLabel ? undefined : 'must have 1 to 50 characters on one line'
}

/** An address with which a token may be sent: over TLS, or on this machine. */
export function forgeUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be an address such as https://git.example.com'
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (username !== '' || password !== '') return 'must not hold a login; `gc rig token add` keeps the token'
  if (search !== '' || hash !== '') return 'must not hold "?" or "#"'
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (protocol === 'https:' || (protocol === 'http:' && isLocal)) return undefined
  return 'must begin with https://, so that the token is not sent in the clear'
}

export const repositoryProblem = (name: string): string | undefined =>
  /^[A-Za-z0-9][\w.-]{0,99}\/[A-Za-z0-9._-]{1,100}$/.test(name) && !/\/\.{1,2}$/.test(name)
    ? undefined
    : 'must be <owner>/<name>, such as acme/shop'

/** An address, which is not quoted: it may hold a password by mistake. */
function address(key: string): FieldReader<string> {
  const read = (section: SectionReader) => {
    const url = section.string(key)
    const problem = url === undefined ? undefined : forgeUrlProblem(url)
    if (problem === undefined) return url?.replace(/\/+$/, '')
    section.error(key, problem)
    return undefined
  }
  return { key, read }
}

const hold: FieldReader<LandHold> = {
  key: 'hold',
  read(section) {
    const rules = section.strings('hold')
    let large: number | undefined
    for (const rule of rules ?? []) {
      const [, lines] = /^large:(\d{1,7})$/.exec(rule) ?? []
      if (lines !== undefined && Number(lines) > 0) large = Number(lines)
      else section.error('hold', `"${rule}" is not a rule: write "large:<lines>" with 1 to 9999999 lines`)
    }
    return rules && { ...(large !== undefined && { large }) }
  },
}

const command = words('command')
const glob = judged('glob', globProblem)

const generated: FieldReader<GeneratedFiles[]> = {
  key: 'generated',
  read(section) {
    if (!section.has('generated')) return undefined
    return section.blocks('generated').flatMap((block) => {
      const [pattern, list] = [glob.read(block), command.read(block)]
      const node = block.node('glob')
      if (!node || (node.kind === 'string' && node.value === ''))
        block.error('glob', 'is required: the files, such as package-lock.json')
      if (!block.has('command') || list?.length === 0) {
        block.error('command', 'is required: what makes them again, such as ["npm", "install", "--package-lock-only"]')
      }
      return pattern === undefined || !list?.length ? [] : [{ glob: pattern, command: list }]
    })
  },
}

/** `[rigs.land.pr]`: how pull requests are opened. */
export const LAND_PR = { labels: listOf('labels', labelProblem), draft: boolean('draft') }
export type LandPrFields = ValuesOf<typeof LAND_PR>

/** `[rigs.land.auto]`: changes that land without a person. */
export const LAND_AUTO = {
  check: oneOf('check', ['green']),
  maxLines: integer('max_lines', { min: 1, max: 1_000_000 }),
  paths: listOf('paths', globProblem),
}
export type LandAutoFields = ValuesOf<typeof LAND_AUTO>

/** `[rigs.land.forge]`: where the pull requests are, if the remote does not say it. */
export const LAND_FORGE = {
  kind: oneOf('kind', FORGE_KINDS),
  url: address('url'),
  repository: judged('repository', repositoryProblem),
}
export type LandForgeFields = ValuesOf<typeof LAND_FORGE>

/** A table of which a layer changes key by key. */
function merged<Values>(reader: FieldReader<Declaration<Values>>): FieldReader<Declaration<Values>> {
  return { ...reader, merge: mergeFields }
}

/** `[rigs.land]`: how finished branches of a rig get onto its target. */
export const LAND = {
  mode: oneOf('mode', LAND_MODES),
  target: judged('target', branchProblem),
  remote: judged('remote', remoteProblem),
  check: words('check'),
  checkTimeout: bounded('check_timeout', { min: SECOND, max: DAY, bounds: '1s to 24h' }),
  batch: integer('batch', { min: 1, max: 64 }),
  confirmRed: boolean('confirm_red'),
  checkEarly: boolean('check_early'),
  strategy: oneOf('strategy', LAND_STRATEGIES),
  parallel: integer('parallel', { min: 1, max: 16 }),
  generated,
  protectedPaths: listOf('protected_paths', globProblem),
  hold,
  tries: integer('tries', { min: 1, max: 20 }),
  turnTimeout: bounded('turn_timeout', { min: MINUTE, max: 7 * DAY, bounds: '1m to 7d' }),
  deleteBranch: boolean('delete_branch'),
  sign: boolean('sign'),
  pr: merged(table('pr', LAND_PR)),
  auto: merged(table('auto', LAND_AUTO)),
  forge: merged(table('forge', LAND_FORGE)),
}
export type LandFields = ValuesOf<typeof LAND>

export const landTable: FieldReader<Declaration<LandFields>> = merged(table('land', LAND))
