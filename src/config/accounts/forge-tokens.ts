import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, errorMessage } from '../../core/errors.ts'
import { writePrivateFile } from '../../core/private-file.ts'
import { parseToml, renderPairs, type TomlNode, type TomlTable } from '../../core/toml/index.ts'
import { readPrivateFile } from './read-private.ts'

/** A token with which gc calls the interface of one forge. */
interface ForgeToken {
  readonly host: string
  readonly token: string
}

const MAX_ATTEMPTS = 5
const HOST = /^[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?(?::\d{1,5})?$|^\[[0-9a-f:]{2,45}\](?::\d{1,5})?$/
const TOKEN = /^[\x21-\x7e]{8,1000}$/

/** `$GC_HOME/forges.toml`: tokens by the host that they are sent to. It is read again whenever it changes. */
export class ForgeTokens {
  readonly path: string
  #version = ''
  #tokens: readonly ForgeToken[] = []

  constructor(home: string) {
    this.path = join(home, 'forges.toml')
  }

  /** The hosts that have a token. */
  get hosts(): string[] {
    return this.#read().map(({ host }) => host)
  }

  /** The token for a host and its port; undefined without one. Throws a sentence if the file cannot be used. */
  for(host: string): string | undefined {
    return this.#read().find((each) => each.host === host.toLowerCase())?.token
  }

  /** Keeps a token for a host, in place of an earlier one; returns the host as it is written. */
  async set(host: string, token: string): Promise<string> {
    const name = normalizeHost(host)
    if (!TOKEN.test(token)) {
      throw new AppError('invalid-request', 'the token must have 8 to 1000 visible characters and no spaces')
    }
    await this.#write((before) => [...before.filter((each) => each.host !== name), { host: name, token }])
    return name
  }

  async remove(host: string): Promise<string> {
    const name = normalizeHost(host)
    await this.#write((before) => {
      if (before.some((each) => each.host === name)) return before.filter((each) => each.host !== name)
      throw new AppError('invalid-request', `there is no token for ${name}; \`gc rig token list\` lists valid names`)
    })
    return name
  }

  #read(): readonly ForgeToken[] {
    const stats = statSync(this.path, { throwIfNoEntry: false })
    if (!stats) return []
    const version = `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.mode}`
    if (version === this.#version) return this.#tokens
    try {
      this.#tokens = parseTokens(readPrivateFile(this.path), this.path)
    } catch (error) {
      throw new AppError('conflict-wrong-state', errorMessage(error))
    }
    this.#version = version
    return this.#tokens
  }

  async #write(change: (before: readonly ForgeToken[]) => readonly ForgeToken[]): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const before = existsSync(this.path) ? readPrivateFile(this.path) : ''
      const after = change(parseTokens(before, this.path))
      const isCurrent = () => (existsSync(this.path) ? readPrivateFile(this.path) : '') === before
      if (await writePrivateFile(this.path, render(after), isCurrent)) return
    }
    throw new AppError('conflict-concurrent-modify', `${this.path} is being changed by others; try again`)
  }
}

/** `https://Git.Example.com:3000/` or a host alone, as tokens are bound to it. */
function normalizeHost(text: string): string {
  const bare = text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')
  if (HOST.test(bare)) return bare
  throw new AppError('invalid-request', `"${bare}" is not a host; give one such as github.com or git.example.com:3000`)
}

/** Throws a sentence with the file and the line, and none of the tokens. */
function parseTokens(text: string, file: string): ForgeToken[] {
  const node = parse(text, file).entries.get('token')
  if (node && node.kind !== 'array') throw new Error(`${file}:${node.line}: token is not a block; write [[token]]`)
  return (node?.items ?? []).map((item) => {
    const [host, token] = [textOf(item, 'host').toLowerCase(), textOf(item, 'token')]
    if (HOST.test(host) && TOKEN.test(token)) return { host, token }
    throw new Error(`${file}:${item.line}: a [[token]] needs a host and a token; \`gc rig token add\` writes it`)
  })
}

function parse(text: string, file: string): TomlTable {
  try {
    return parseToml(text)
  } catch {
    throw new Error(`${file} is not TOML; fix it, or remove it and add the tokens again`)
  }
}

function textOf(node: TomlNode, key: string): string {
  const value = node.kind === 'table' ? node.entries.get(key) : undefined
  return value?.kind === 'string' ? value.value : ''
}

const render = (tokens: readonly ForgeToken[]): string =>
  tokens
    .map(({ host, token }) => ['[[token]]', ...renderPairs(Object.entries({ host, token })), ''].join('\n'))
    .join('\n')
