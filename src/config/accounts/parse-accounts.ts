import { join } from 'node:path'
import { BUILTINS } from '../providers/presets.ts'
import { parseToml, type TomlNode, TomlSyntaxError, type TomlTable } from '../toml/parse.ts'
import type { Account } from './account.ts'

const KEYS: ReadonlySet<string> = new Set(['name', 'provider', 'home', 'env_file', 'stands_in_for'])
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

/** Parses `accounts.toml`; throws a sentence with the file and the line. */
export function parseAccounts(text: string, file: string, userHome: string): Account[] {
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
  if (!NAME.test(name)) fail(block.entries.get('name'), `"${name}" is no name: use letters, digits, ".", "_" and "-"`)
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
