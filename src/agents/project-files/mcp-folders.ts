import { readdir, readFile } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { renderStrictly, type TemplateFields } from '../../config/prompts/index.ts'
import { errorMessage } from '../../core/errors.ts'
import { parseToml, toPlainValue } from '../../core/toml/index.ts'
import type { McpConnection } from '../../programs/parts/index.ts'
import { isTable } from './merge-settings.ts'

const FILE = /^([a-z0-9-]+)(\.template)?\.toml$/
const NAME = /^[a-z0-9-]{1,64}$/
const MAX_BYTES = 256 * 1024

/** The MCP servers that packs bring, and what is wrong with others. */
export interface FoundServers {
  readonly servers: readonly McpConnection[]
  readonly problems: readonly string[]
}

/** Reads folders of MCP servers; in a later folder one of the same name takes the place of another. */
export async function readMcpFolders(folders: readonly string[], fields: TemplateFields): Promise<FoundServers> {
  const servers = new Map<string, McpConnection>()
  const problems: string[] = []
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => [])
    for (const name of names.filter((each) => FILE.test(each)).sort()) {
      const file = join(folder, name)
      try {
        const server = await readServer(folder, name, fields)
        servers.set(server.name, server)
      } catch (error) {
        problems.push(`${file}: ${errorMessage(error)}; this MCP server is left out`)
      }
    }
  }
  return { servers: [...servers.values()], problems }
}

async function readServer(folder: string, file: string, fields: TemplateFields): Promise<McpConnection> {
  const [, stem = '', isTemplate] = FILE.exec(file) ?? []
  const text = await readFile(join(folder, file), 'utf8')
  if (text.length > MAX_BYTES) throw new RangeError('it is larger than 256 KB')
  const declared = toPlainValue(parseToml(isTemplate ? renderStrictly(text, fields) : text))
  if (!isTable(declared)) throw new TypeError('it is not a table')
  const { name = stem, command, args = [], env = {}, url, headers = {} } = declared
  if (typeof name !== 'string' || !NAME.test(name))
    throw new TypeError('its name may hold small letters, digits and "-"')
  if (typeof command === 'string' && url === undefined) {
    return { name, command: programIn(folder, command), args: textsOf(args), env: textMapOf(env) }
  }
  if (typeof url === 'string' && command === undefined) return { name, type: 'http', url, headers: textMapOf(headers) }
  throw new TypeError('it needs either a command to run or the url of a server')
}

/** A relative program with a slash lies beside the file. */
const programIn = (folder: string, command: string): string =>
  command.includes('/') && !isAbsolute(command) ? resolve(folder, command) : command

function textsOf(value: unknown): string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return [...value]
  throw new TypeError('args is a list of texts')
}

function textMapOf(value: unknown): Record<string, string> {
  if (!isTable(value)) throw new TypeError('env and headers are tables of texts')
  return Object.fromEntries(
    Object.entries(value).map(([key, text]) => {
      if (typeof text !== 'string') throw new TypeError(`${key} is a text`)
      return [key, text]
    }),
  )
}
