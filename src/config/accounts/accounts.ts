import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, errorMessage } from '../../core/errors.ts'
import { writePrivateFile } from '../../core/private-file.ts'
import { Signal } from '../../core/signal.ts'
import {
  addBlock,
  parseToml,
  removeBlock,
  type TomlNode,
  TomlSyntaxError,
  type TomlTable,
} from '../../core/toml/index.ts'
import { BUILTINS } from '../../programs/presets.ts'
import { type Account, homeVariables } from './account.ts'
import { readPrivateFile } from './read-private.ts'

/** The accounts of `$GC_HOME`, and what programs need to run as them. */
export class Accounts {
  readonly file: AccountsFile
  readonly #envFiles = new EnvFiles()

  constructor(home: string, userHome: string) {
    this.file = new AccountsFile(home, userHome)
  }

  get all(): readonly Account[] {
    return this.file.current.accounts
  }

  /** Reason no account can be used. */
  get problem(): string | undefined {
    return this.file.current.problem
  }

  named(name: string): Account | undefined {
    return this.all.find((account) => account.name === name)
  }

  /** Reason an account cannot be used; undefined when nothing is known to prevent it. */
  problemOf({ envFile }: Pick<Account, 'envFile'>): string | undefined {
    return this.#envFiles.problem(envFile)
  }

  /** The variables with which a program runs as an account; throws when its file cannot be read. */
  environment(account: Account): Record<string, string> {
    try {
      return { ...homeVariables(account), ...this.#envFiles.variables(account.envFile) }
    } catch (error) {
      throw new AppError('service-unavailable', errorMessage(error))
    }
  }
}

interface LoadedFile {
  readonly version: string
  readonly variables: Readonly<Record<string, string>>
  /** Reason it cannot be used. */
  readonly problem: string | undefined
}

/** The variables of accounts. Each file is read again whenever it changes. */
class EnvFiles {
  readonly #files = new Map<string, LoadedFile>()

  /** The variables of an account; throws the sentence that `problem` gives. */
  variables(envFile: string | undefined): Readonly<Record<string, string>> {
    if (envFile === undefined) return {}
    const { variables, problem } = this.#read(envFile)
    if (problem !== undefined) throw new Error(problem)
    return variables
  }

  /** Reason the file of an account cannot be used; undefined when it can, or there is none. */
  problem(envFile: string | undefined): string | undefined {
    return envFile === undefined ? undefined : this.#read(envFile).problem
  }

  #read(path: string): LoadedFile {
    if (!isPath(path)) return { version: '', variables: {}, problem: 'env_file is not the path of a file' }
    const stats = statSync(path, { throwIfNoEntry: false })
    const version = stats ? `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.mode}` : ''
    const cached = this.#files.get(path)
    if (cached?.version === version) return cached
    const loaded = { version, ...load(path) }
    this.#files.set(path, loaded)
    return loaded
  }
}

/** True if the system takes it as a path at all. */
const isPath = (text: string): boolean =>
  text.startsWith('/') &&
  !/\p{Cc}/u.test(text) &&
  text.split('/').every((part) => part.length <= 255) &&
  text.length <= 4_096

function load(path: string): Omit<LoadedFile, 'version'> {
  try {
    return { variables: readEnvFile(path), problem: undefined }
  } catch (error) {
    return { variables: {}, problem: errorMessage(error) }
  }
}

const LINE = /^(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^#]*?))\s*(?:#.*)?$/
/** Variables that describe a session to itself; files cannot set them. */
const RESERVED = /^(?:GC_|BEADS_ACTOR$|PATH$|TERM$)/

/** Reads a file with a `NAME=value` a line; throws a sentence that names the line but none of the values. */
function readEnvFile(path: string): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const [index, line] of readPrivateFile(path).split(/\r?\n/).entries()) {
    const text = line.trim()
    if (text === '' || text.startsWith('#')) continue
    const [, name, escaped, literal, plain] = LINE.exec(text) ?? []
    if (name === undefined) throw new Error(`${path}:${index + 1}: it is not NAME=value`)
    if (RESERVED.test(name)) throw new Error(`${path}:${index + 1}: ${name} is set by gc; take it out`)
    variables[name] = escaped?.replaceAll(/\\(.)/g, '$1') ?? literal ?? plain ?? ''
  }
  return variables
}

/** Fields of a new account. */
type AccountDraft = Pick<Account, 'name' | 'provider'> & Partial<Pick<Account, 'home' | 'envFile' | 'standsInFor'>>

/** The accounts, or why none can be used. */
interface LoadedAccounts {
  readonly accounts: readonly Account[]
  readonly problem: string | undefined
}

const MAX_ATTEMPTS = 5
const NONE: LoadedAccounts = { accounts: [], problem: undefined }

/** `$GC_HOME/accounts.toml`. It is read again whenever it changes, and checked once per turn of the event loop. */
class AccountsFile {
  readonly path: string
  #version = ''
  #loaded = NONE
  #isSeen = false
  readonly #changed = new Signal()

  constructor(
    home: string,
    private readonly userHome: string,
  ) {
    this.path = join(home, 'accounts.toml')
  }

  get current(): LoadedAccounts {
    if (this.#isSeen) return this.#loaded
    this.#isSeen = true
    setImmediate(() => this.#forgetSeen())
    const stats = statSync(this.path, { throwIfNoEntry: false })
    const version = stats ? `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.mode}` : ''
    if (version === this.#version) return this.#loaded
    this.#loaded = stats ? this.#load() : NONE
    this.#version = version
    queueMicrotask(() => this.#changed.emit())
    return this.#loaded
  }

  #forgetSeen(): void {
    this.#isSeen = false
  }

  /** Calls the listener when the file was found changed. */
  readonly onChange = this.#changed.listen

  /** Adds an account; throws when the file would not be valid with it. */
  add(draft: AccountDraft): Promise<Account> {
    const { name, provider, home, envFile, standsInFor = [] } = draft
    return this.#edit((text) =>
      addBlock(text, '[[account]]', [
        ['name', name],
        ['provider', provider],
        ['home', home],
        ['env_file', envFile],
        ['stands_in_for', standsInFor.length > 0 ? standsInFor : undefined],
      ]),
    ).then(() => this.find(name))
  }

  /** Removes an account; what belongs to it stays where it is. */
  remove(name: string): Promise<void> {
    return this.#edit((text) => {
      const { offset } = this.find(name)
      const rest = removeBlock(text, offset)
      if (rest !== undefined) return rest
      throw new AppError(
        'conflict-wrong-state',
        `${this.path} does not write ${name} as an [[account]]; change it there`,
      )
    })
  }

  find(name: string): Account {
    const { accounts, problem } = this.current
    if (problem !== undefined) throw new AppError('conflict-wrong-state', problem)
    const account = accounts.find((one) => one.name === name)
    if (account) return account
    throw new AppError('account-not-found', `there is no account ${name}; \`gc account list\` lists valid names`)
  }

  #load(): LoadedAccounts {
    try {
      return { accounts: this.#parse(readPrivateFile(this.path)), problem: undefined }
    } catch (error) {
      return { accounts: [], problem: errorMessage(error) }
    }
  }

  #parse(text: string): Account[] {
    return parseAccounts(text, this.path, this.userHome)
  }

  /** Changes the file as a whole; again, when somebody else changed it. */
  async #edit(change: (text: string) => string): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      this.#forgetSeen()
      const { problem } = this.current
      if (problem !== undefined) throw new AppError('conflict-wrong-state', problem)
      const before = existsSync(this.path) ? readPrivateFile(this.path) : ''
      const text = change(before)
      this.#requireValid(text)
      const isWritten = await writePrivateFile(this.path, text, () => textOf(this.path) === before)
      this.#forgetSeen()
      if (isWritten) return
    }
    throw new AppError('conflict-concurrent-modify', `${this.path} is being changed by others; try again`)
  }

  #requireValid(text: string): void {
    try {
      this.#parse(text)
    } catch (error) {
      throw new AppError('invalid-request', errorMessage(error).replace(/^.*?:\d+: /, ''))
    }
  }
}

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

export const KEYS: ReadonlySet<string> = new Set(['name', 'provider', 'home', 'env_file', 'stands_in_for'])
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

/** Parses `accounts.toml`; throws a sentence with the file and the line. */
function parseAccounts(text: string, file: string, userHome: string): Account[] {
  const accounts: Account[] = []
  for (const block of blocksOf(text, file)) {
    const account = toAccount(block, file, userHome)
    const at = `${file}:${block.line}`
    if (accounts.some(({ name }) => name === account.name)) {
      throw new Error(`${at}: there are two accounts called ${account.name}; rename one`)
    }
    accounts.push(account)
  }
  return accounts
}

function blocksOf(text: string, file: string): TomlTable[] {
  const root = parseOrExplain(text, file)
  for (const [key, { line }] of root.entries) {
    if (key !== 'account') throw new Error(`${file}:${line}: ${key} is not known here; it holds [[account]] blocks`)
  }
  const node = root.entries.get('account')
  if (!node) return []
  const items = node.kind === 'array' ? node.items : []
  const blocks = items.filter((item): item is TomlTable => item.kind === 'table')
  if (node.kind === 'array' && blocks.length === items.length) return blocks
  throw new Error(`${file}:${node.line}: account is not a block; write [[account]]`)
}

function parseOrExplain(text: string, file: string): TomlTable {
  try {
    return parseToml(text)
  } catch (error) {
    if (error instanceof TomlSyntaxError) throw new Error(`${file}:${error.line}: ${error.message}`)
    throw error
  }
}

function toAccount(block: TomlTable, file: string, userHome: string): Account {
  const fail = (node: TomlNode | undefined, sentence: string): never => {
    throw new Error(`${file}:${node?.line ?? block.line}: ${sentence}`)
  }
  const text = (key: string): string | undefined => {
    const node = block.entries.get(key)
    if (!node) return undefined
    return node.kind === 'string' && node.value !== '' ? node.value : fail(node, `${key} must be a text`)
  }
  const path = (key: string): string | undefined => {
    const value = text(key)?.replace(/^~(?=\/|$)/, userHome)
    if (value === undefined || value.startsWith('/')) return value && join(value)
    return fail(block.entries.get(key), `${key} must be a whole path, such as ~/.claude-work`)
  }
  for (const [key, node] of block.entries) {
    if (!KEYS.has(key)) fail(node, `${key} is not known in [[account]]; it has ${[...KEYS].join(', ')}`)
  }
  const name = text('name') ?? fail(block, 'the account has no name')
  const provider = text('provider') ?? fail(block, `account ${name} has no provider`)
  if (!NAME.test(name))
    fail(block.entries.get('name'), `"${name}" is not a name: use letters, digits, ".", "_" and "-"`)
  requireProvider(provider, (sentence) => fail(block.entries.get('provider'), sentence))
  if (BUILTINS.has(name) && name !== provider) {
    fail(block.entries.get('name'), `only an account of ${name} may be called ${name}; rename it`)
  }
  const standsInFor = textList(block.entries.get('stands_in_for'), (node) =>
    fail(node, 'stands_in_for must be a list of providers'),
  )
  for (const other of standsInFor)
    requireProvider(other, (sentence) => fail(block.entries.get('stands_in_for'), sentence))
  return { name, provider, home: path('home'), envFile: path('env_file'), standsInFor, offset: block.offset }
}

function requireProvider(name: string, fail: (sentence: string) => never): void {
  if (!BUILTINS.has(name)) fail(`provider "${name}" is not known; known are ${[...BUILTINS.keys()].join(', ')}`)
}

function textList(node: TomlNode | undefined, fail: (node: TomlNode) => never): string[] {
  if (!node) return []
  if (node.kind !== 'array') return fail(node)
  return node.items.map((item) => (item.kind === 'string' ? item.value : fail(item)))
}
