import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { isRecord, parseJson } from '../../src/client/json.ts'
import { showHidden } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { oldSpelling } from '../context/options.ts'
import { failure, usageError } from '../io/exit.ts'

/** A part of a request as the command line names it: `key=value`, where the value of a typed one is read. */
interface Field {
  readonly key: string
  readonly value: string
  readonly isTyped: boolean
}

interface ApiOptions {
  method?: string
  rawField?: Field[]
  field?: Field[]
  header?: [string, string][]
  input?: string
  showHeaders?: true
  paginate?: true
}

/** Defines the command that sends a request to the supervisor, with the token that the program has. */
export function apiCommand(program: Command, context: CommandContext): void {
  program
    .command('api')
    .description('send a request to the API of the supervisor')
    .argument('<path>', 'path, such as /v0/cities or ~/beads in the current city')
    .option('-X, --method <method>', 'method; default is GET, or POST with fields or --input', parseMethod)
    .option('--raw-field <key=value>', 'add a string to the body, or to the query of a GET', collect(false))
    .addOption(oldSpelling('-f <key=value>', 'rawField').argParser(collect(false)))
    .option('-F, --field <key=value>', 'add a typed value: true, null, a number, or @<file>', collect(true))
    .option('-H, --header <name: value>', 'add a header', collectHeader)
    .option('--input <file>', 'file to send as the body; - for standard input')
    .option('-i, --show-headers', 'print the status and headers of the response')
    .addOption(oldSpelling('--include', 'showHeaders'))
    .option('--paginate', 'print every page of a list')
    .addHelpText('after', TOKEN_HELP)
    .action((path: string, options: ApiOptions) => api(context, path, options))
}

const TOKEN_HELP = '\nThe token comes from GC_TOKEN or from the token file of the operator, never from an argument.'

function parseMethod(text: string): string {
  const method = text.toUpperCase()
  if (!/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method))
    throw new InvalidArgumentError('It must be a method, such as PATCH.')
  return method
}

const collect =
  (isTyped: boolean) =>
  (text: string, fields: readonly Field[] = []): Field[] => {
    const [, key, value] = /^([\w.-]+(?:\[[\w.-]*\])*)=([\s\S]*)$/.exec(text) ?? []
    if (key === undefined || value === undefined) throw new InvalidArgumentError('It must be key=value.')
    return [...fields, { key, value, isTyped }]
  }

function collectHeader(text: string, headers: readonly [string, string][] = []): [string, string][] {
  const [, name, value] = /^([\w-]+):\s*([^\r\n]*)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a header, such as Accept: text/event-stream.')
  if (/^(?:authorization|cookie|proxy-authorization)$/i.test(name)) {
    throw new InvalidArgumentError('Other programs can read it here; set GC_TOKEN, or GC_HOME for its token.')
  }
  return [...headers, [name, value]]
}

async function api(context: CommandContext, path: string, options: ApiOptions): Promise<void> {
  const fields = [...(options.rawField ?? []), ...(options.field ?? [])]
  const method = options.method ?? (fields.length > 0 || options.input !== undefined ? 'POST' : 'GET')
  if (options.paginate && method !== 'GET') throw usageError('--paginate reads lists, by GET')
  const client = await context.supervisor()
  const values = await Promise.all(fields.map(async (field) => [field.key, await fieldValue(context, field)] as const))
  const takesBody = method !== 'GET' && method !== 'HEAD' && options.input === undefined
  const target = await targetOf(context, path, client.access.url)
  if (!takesBody) for (const [key, value] of values) target.searchParams.append(key, String(value))
  const input = options.input === undefined ? undefined : await inputOf(context, options.input)
  const call = {
    headers: { ...(input !== undefined && JSON_TYPE), ...Object.fromEntries(options.header ?? []) },
    ...(input !== undefined && { bytes: input }),
    ...(takesBody && values.length > 0 && { body: bodyOf(values) }),
  }
  for (let next: string | undefined = ''; next !== undefined; ) {
    if (next !== '') target.searchParams.set('cursor', next)
    const response = await client.exchange(`${method} ${writtenPath(target)}`, call)
    if (options.showHeaders) context.io.out(headOf(response))
    const text = await print(context, response, { keeps: options.paginate === true || !response.ok })
    if (!response.ok) throw failure(sentenceOf(response, text))
    next = options.paginate ? cursorIn(text) : undefined
    if (options.paginate) context.io.out('\n')
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' }

/** The path and query; a brace would stand for a parameter of the client. */
const writtenPath = ({ pathname, search }: URL): string => (pathname + search).replaceAll('{', '%7B')

/** The address of a path at the supervisor; one at another host is refused, since the token must not go there. */
async function targetOf(context: CommandContext, given: string, url: string): Promise<URL> {
  const isAbsolute = /^[a-z][a-z\d+.-]*:/i.test(given)
  const path = unexpanded(given, context.io.env.HOME)
  const needsCity = path === '~' || path.startsWith('~/') || path.includes('{city}') || path.includes('{cityName}')
  const city = needsCity ? encodeURIComponent((await context.city()).name) : ''
  const named = path.replace(/^~(?=\/|$)/, `/v0/city/${city}`).replace(/\{city(?:Name)?\}/g, city)
  const whole = isAbsolute ? named : `${url}/${named.replace(/^\/+/, '')}`
  const target = URL.canParse(whole) ? new URL(whole) : undefined
  if (target?.origin !== new URL(url).origin || target.username !== '' || target.password !== '') {
    throw usageError(
      `${showHidden(path)} is not a path of the supervisor at ${url}, and its token goes nowhere else; name a path such as /v0/cities`,
    )
  }
  return target
}

/** Shells put the home of the user in the place of a `~` without quotes. */
const unexpanded = (path: string, home = ''): string =>
  home.length > 1 && !home.startsWith('/v0') && (path === home || path.startsWith(`${home}/`))
    ? `~${path.slice(home.length)}`
    : path

async function fieldValue({ io }: CommandContext, { value, isTyped }: Field): Promise<unknown> {
  if (!isTyped) return value
  if (value === '@-') return io.readInput()
  if (value.startsWith('@')) return readFileSync(resolve(io.cwd, value.slice(1)), 'utf8')
  return /^(?:true|false|null|-?(?:0|[1-9]\d{0,14}))$/.test(value) ? parseJson(value) : value
}

const inputOf = ({ io }: CommandContext, file: string): Promise<string> =>
  file === '-' ? io.readInput() : Promise.resolve(readFileSync(resolve(io.cwd, file), 'utf8'))

/** An object of keys such as `title`, `metadata[size]` and `labels[]`. */
function bodyOf(values: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const body: Record<string, unknown> = Object.create(null)
  for (const [key, value] of values) place(body, partsOf(key), value)
  return body
}

const partsOf = (key: string): string[] =>
  [...key.matchAll(/\[([^\]]*)\]|([^[\]]+)/g)].map(([, inner = '', name]) => name ?? inner)

function place(body: Record<string, unknown>, [key = '', next, ...rest]: readonly string[], value: unknown): void {
  if (next === undefined) {
    body[key] = value
    return
  }
  const inner = body[key]
  if (next === '') {
    body[key] = [...(Array.isArray(inner) ? inner : []), value]
    return
  }
  const object: Record<string, unknown> = isRecord(inner) ? inner : Object.create(null)
  body[key] = object
  place(object, [next, ...rest], value)
}

/** Prints a body as it comes, on a terminal without what would act on it; the text of it, where it is needed. */
async function print({ io }: CommandContext, { body }: Response, { keeps }: { keeps: boolean }): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    const more = decoder.decode(chunk, { stream: true })
    if (io.width === undefined) io.outBytes(chunk)
    else io.out(showHidden(more))
    if (keeps) text += more
  }
  return text
}

function headOf({ status, statusText, headers }: Response): string {
  const lines = [`HTTP/1.1 ${status} ${statusText}`, ...[...headers].map(([name, value]) => `${name}: ${value}`)]
  return `${lines.map(showHidden).join('\n')}\n\n`
}

function sentenceOf({ status, headers }: Response, text: string): string {
  const body = parseJson(text)
  const detail = isRecord(body) && [body.detail, body.error, body.message].find((each) => typeof each === 'string')
  const elsewhere = headers.get('Location')
  const redirect = elsewhere === null ? '' : `the response redirects to ${elsewhere}, which is not followed`
  return `${detail || redirect || 'the request failed'} (HTTP ${status})`
}

function cursorIn(text: string): string | undefined {
  const body = parseJson(text)
  const next = isRecord(body) ? body.next_cursor : undefined
  return typeof next === 'string' && next !== '' ? next : undefined
}
