import { lstatSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { AppError, errorMessage } from '../../core/errors.ts'
import { parseToml, renderPairs, type TomlNode } from '../../core/toml/index.ts'

/** The files of rules: a city's own, then those of every city of this machine. */
export const CITY_CREDENTIALS = '.gc/credentials.toml'
export const GLOBAL_CREDENTIALS = 'credentials.toml'

/** Location of a secret; the file of rules never holds one. */
export type SecretPointer =
  | { readonly kind: 'helper'; readonly value: string }
  | { readonly kind: 'token_file'; readonly value: string }
  | { readonly kind: 'token_env'; readonly value: string }
  | { readonly kind: 'ssh_key_file'; readonly value: string }

export const POINTERS = ['helper', 'token_file', 'token_env', 'ssh_key_file'] as const

/** `[[credential]]`: what is shown to a host, or to the part of it below a path. */
export interface CredentialRule {
  /** `host`, or `host/path`. */
  readonly match: string
  readonly username?: string
  readonly pointer: SecretPointer
}

/** Credentials for a repository. */
export interface Credential {
  readonly username?: string
  readonly password?: string
  readonly sshKey?: string
}

/** Runs helper commands and reads variables and files. */
export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>
  runHelper(command: string): Promise<string>
}

const MATCH = /^[A-Za-z0-9][A-Za-z0-9.:-]*(?:\/[^\s\p{Cc}]*)?$/u
const DEFAULT_USERNAME = 'x-access-token'

/** `https://Host/a/b.git` and `Host/a/b/` as a rule names them: `host/a/b`. */
export function normalizeMatch(text: string): string {
  const bare = text
    .trim()
    .replace(/^[a-z]+:\/\/(?:[^@/]*@)?/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  const [host = '', ...path] = bare.split('/')
  const match = [host.toLowerCase(), ...path].join('/')
  if (MATCH.test(match)) return match
  throw new AppError('invalid-request', `"${text}" names no host; give one such as github.com or github.com/owner`)
}

/** The rules of a file, in its order; throws when others could read it, or when it is not understood. */
export function readRules(path: string): CredentialRule[] {
  const text = readPrivateFile(path)
  if (text === undefined) return []
  try {
    const blocks = parseToml(text).entries.get('credential')
    return blocks?.kind === 'array' ? blocks.items.map(toRule) : []
  } catch (error) {
    throw new AppError('conflict-wrong-state', `${path} cannot be read: ${errorMessage(error)}`)
  }
}

function toRule(node: TomlNode): CredentialRule {
  const stringOf = (key: string): string | undefined => {
    const value = node.kind === 'table' ? node.entries.get(key) : undefined
    return value?.kind === 'string' && value.value !== '' ? value.value : undefined
  }
  const pointers = POINTERS.flatMap((kind) => {
    const value = stringOf(kind)
    return value === undefined ? [] : [{ kind, value }]
  })
  const [pointer, ...more] = pointers
  const match = stringOf('match')
  if (match === undefined || pointer === undefined || more.length > 0) {
    throw new Error(`line ${node.line}: a credential has a match and exactly one of ${POINTERS.join(', ')}`)
  }
  const username = stringOf('username')
  return { match: normalizeMatch(match), pointer, ...(username && { username }) }
}

/** Path of a pointer's file: below the person's home after `~`, else relative to `folder`. */
export const secretPath = (value: string, folder: string, home = homedir()): string =>
  resolve(folder, value.replace(/^~(?=\/|$)/, home))

/** Refuses a pointer to a file that is not there, or whose secret could not be used. */
export function requireSecret({ kind, value }: SecretPointer): void {
  if (kind === 'token_file') readToken(value)
  else if (kind === 'ssh_key_file' && !isFile(value)) throw missing(value)
}

function readToken(path: string): string {
  if (!isFile(path)) throw missing(path)
  const token = (readPrivateFile(path) ?? '').trim()
  if (token === '') throw new AppError('conflict-wrong-state', `${path} is empty; write the secret into it`)
  return token
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

const missing = (path: string): AppError =>
  new AppError('conflict-wrong-state', `there is no file ${path}; write the secret into it, for only you to read`)

/** The text of a file that its owner alone may read; undefined when there is none. */
function readPrivateFile(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return undefined
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new AppError('conflict-wrong-state', `others can read ${path}; run \`chmod 600 ${path}\``)
  }
  return readFileSync(path, 'utf8')
}

/** The text of a file of rules. */
export const renderRules = (rules: readonly CredentialRule[]): string =>
  rules
    .map(({ match, username, pointer }) =>
      [
        '[[credential]]',
        ...renderPairs([
          ['match', match],
          ['username', username],
          [pointer.kind, pointer.value],
        ]),
        '',
      ].join('\n'),
    )
    .join('\n')

/** The rule for a repository: the longest match; of two alike, the first. */
export function findRule(rules: readonly CredentialRule[], repository: string): CredentialRule | undefined {
  const fitting = rules.filter(({ match }) => repository === match || repository.startsWith(`${match}/`))
  return fitting.reduce<CredentialRule | undefined>(
    (best, rule) => (best && best.match.length >= rule.match.length ? best : rule),
    undefined,
  )
}

/** Fetches the secret that a rule points to. */
export async function resolveCredential(
  { match, username, pointer }: CredentialRule,
  sources: SecretSources,
): Promise<Credential> {
  const path = secretPath(pointer.value, '', sources.env.HOME)
  if (pointer.kind === 'ssh_key_file') return { sshKey: path, ...(username && { username }) }
  try {
    const secret = await readSecret(pointer, path, sources)
    if (secret === '') throw new Error('it is empty')
    return { username: username ?? DEFAULT_USERNAME, password: secret }
  } catch (error) {
    const message = `the credential for ${match} (${pointer.kind}) cannot be used: ${errorMessage(error)}`
    throw new AppError('conflict-wrong-state', message)
  }
}

async function readSecret(pointer: SecretPointer, path: string, { env, runHelper }: SecretSources): Promise<string> {
  if (pointer.kind === 'token_env') return (env[pointer.value] ?? '').trim()
  if (pointer.kind === 'token_file') return readToken(path)
  return (await runHelper(pointer.value)).trim()
}

/** The rules that hold for a city: its own before those of the machine. */
export const loadRules = (city: string | undefined, home: string): CredentialRule[] => [
  ...(city === undefined ? [] : readRules(join(city, CITY_CREDENTIALS))),
  ...readRules(join(home, GLOBAL_CREDENTIALS)),
]
