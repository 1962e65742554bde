import type { AST } from 'toml-eslint-parser'
import { BYTE_ORDER_MARK, parseSyntax } from './parse.ts'

/** A value that gc writes into a file. */
export type TomlValue = string | number | boolean | readonly TomlValue[] | { readonly [key: string]: TomlValue }
export type TomlPairs = readonly (readonly [key: string, value: TomlValue | undefined])[]

/** The block whose header stands at this offset of the text without a byte order mark, or the top of the file. */
export type BlockAddress = number | 'top'

/** Adds a block such as `[[rigs]]` after the last of its kind, or at the end. Every other byte stays. */
export const addBlock = (text: string, header: string, pairs: TomlPairs): string =>
  editBody(text, (body) => insertBlock(body, header, pairs))

/** Adds a block such as `[rigs.imports.base]` after the block at an offset and its sub-tables; undefined when none begins there. */
export const addSubBlock = (text: string, parent: number, header: string, pairs: TomlPairs): string | undefined =>
  editBody(text, (body) => {
    const end = partsOf(body, parent)?.at(-1)?.range[1]
    return end === undefined ? undefined : insertBlockAt(body, afterComments(body, lineEnd(body, end)), header, pairs)
  })

/** Cuts out the block at an offset, with its sub-tables; undefined when no block begins there. */
export const removeBlock = (text: string, offset: number): string | undefined =>
  editBody(text, (body) => cutBlock(body, offset))

/** Sets a key of a block, or removes it when there is no value; undefined when no block begins there. */
export const setKey = (
  text: string,
  block: BlockAddress,
  key: string,
  value: TomlValue | undefined,
): string | undefined => editBody(text, (body) => putKey(body, block, key, value))

/** Offset of a table's header such as `[providers.x.env]`; undefined without one. */
export function tableOffset(text: string, keys: readonly string[]): number | undefined {
  const body = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  const table = tablesOf(body).find(
    ({ resolvedKey }) => resolvedKey.length === keys.length && keys.every((key, depth) => resolvedKey[depth] === key),
  )
  return table?.range[0]
}

/** The table under the block at an offset, as a block of its own or as the value of a key. */
export interface ChildTable {
  /** Undefined for an array of tables. */
  readonly offset: number | undefined
  readonly kind: 'block' | 'inline' | 'blocks'
}

/** Finds a table under the block at an offset; undefined when it has none, or writes it with dotted keys. */
export function childTable(text: string, parent: number, key: string): ChildTable | undefined {
  const body = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  const [block, ...parts] = partsOf(body, parent) ?? []
  if (!block) return undefined
  const depth = block.resolvedKey.length
  const own = parts.find(({ resolvedKey }) => resolvedKey.length === depth + 1 && resolvedKey[depth] === key)
  if (own) return { kind: 'block', offset: own.range[0] }
  if (parts.some(({ resolvedKey }) => resolvedKey[depth] === key)) return { kind: 'blocks', offset: undefined }
  const inline = block.body.find(({ key: { keys } }) => keys.length === 1 && nameOf(keys[0]) === key)?.value
  return inline?.type === 'TOMLInlineTable' ? { kind: 'inline', offset: inline.range[0] } : undefined
}

/** Cuts out every block of an array of tables, or the table, under the block at an offset. */
export const removeChildren = (text: string, parent: number, key: string): string =>
  editBody(text, (body) => {
    const [block, ...parts] = partsOf(body, parent) ?? []
    const depth = block?.resolvedKey.length ?? 0
    const own = parts.filter(({ resolvedKey }) => resolvedKey[depth] === key)
    return own.reduceRight((rest, { range }) => cutLines(rest, range[0], range[1]), body)
  })

/** The lines of a block. */
export function renderPairs(pairs: TomlPairs): string[] {
  return pairs.flatMap(([key, value]) => (value === undefined ? [] : [`${renderKey(key)} = ${renderValue(value)}`]))
}

const renderKey = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : quote(key))

export function renderValue(value: TomlValue): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (isList(value)) return `[${value.map(renderValue).join(', ')}]`
  const pairs = Object.entries(value).map(([key, item]) => `${renderKey(key)} = ${renderValue(item)}`)
  return pairs.length > 0 ? `{ ${pairs.join(', ')} }` : '{}'
}

const isList = (value: TomlValue): value is readonly TomlValue[] => Array.isArray(value)

/** JSON's escapes are TOML's, but for DEL and for lone surrogates. */
const quote = (text: string): string => JSON.stringify(text.toWellFormed()).replaceAll('\x7f', '\\u007f')

function editBody<Result extends string | undefined>(text: string, edit: (body: string) => Result): Result | string {
  if (!text.startsWith(BYTE_ORDER_MARK)) return edit(text)
  const edited = edit(text.slice(1))
  return edited === undefined ? edited : BYTE_ORDER_MARK + edited
}

const tablesOf = (body: string): AST.TOMLTable[] =>
  parseSyntax(body).body[0].body.filter((node): node is AST.TOMLTable => node.type === 'TOMLTable')

/** The line break at an offset, or else the first one of the text. */
function lineBreakAt(body: string, offset: number): string {
  const own = /^\r?\n/.exec(body.slice(offset, offset + 2))?.[0]
  return own ?? /\r?\n/.exec(body)?.[0] ?? '\n'
}

/** The end of the line that holds an offset, before its line break. */
function lineEnd(body: string, offset: number): number {
  const feed = body.indexOf('\n', offset)
  if (feed < 0) return body.length
  return body[feed - 1] === '\r' && feed > offset ? feed - 1 : feed
}

const lineStart = (body: string, offset: number): number => body.lastIndexOf('\n', offset - 1) + 1

function insertBlock(body: string, header: string, pairs: TomlPairs): string {
  const section = header.replace(/^\[+|\]+$/g, '').split('.')[0]
  const last = tablesOf(body).findLast((table) => table.resolvedKey[0] === section)
  return insertBlockAt(body, last ? afterComments(body, lineEnd(body, last.range[1])) : body.length, header, pairs)
}

function insertBlockAt(body: string, offset: number, header: string, pairs: TomlPairs): string {
  const lineBreak = lineBreakAt(body, offset)
  const block = [header, ...renderPairs(pairs)].join(lineBreak)
  if (offset < body.length || (body !== '' && !body.endsWith('\n'))) {
    return body.slice(0, offset) + lineBreak + lineBreak + block + body.slice(offset)
  }
  return body + (body === '' ? '' : lineBreak) + block + lineBreak
}

/** Comments right under a block belong to it, unless they stand right over the next one. */
function afterComments(body: string, offset: number): number {
  const under = /^(?:\r?\n[ \t]*#[^\n\r]*)+/.exec(body.slice(offset))?.[0] ?? ''
  const next = /^\r?\n([^\r\n]*)/.exec(body.slice(offset + under.length))?.[1] ?? ''
  return next.trim() === '' ? offset + under.length : offset
}

/** The block at an offset and its sub-tables, in their order; undefined when no block begins there. */
function partsOf(body: string, offset: number): AST.TOMLTable[] | undefined {
  const tables = tablesOf(body)
  const block = tables.find(({ range }) => range[0] === offset)
  return (
    block && tables.filter(({ resolvedKey }) => block.resolvedKey.every((key, depth) => resolvedKey[depth] === key))
  )
}

function cutBlock(body: string, offset: number): string | undefined {
  const parts = partsOf(body, offset)
  return parts?.reduceRight((rest, { range }) => cutLines(rest, range[0], range[1]), body)
}

/** Cuts whole lines out, and one empty line over them. */
function cutLines(body: string, start: number, end: number): string {
  const first = lineStart(body, start)
  const emptyLine = /(^|\n)(\r?\n)$/.exec(body.slice(0, first))?.[2] ?? ''
  const from = first - emptyLine.length
  const feed = body.indexOf('\n', end)
  if (feed >= 0) return body.slice(0, from) + body.slice(feed + 1)
  return body.slice(0, from).replace(/\r?\n$/, '')
}

function putKey(body: string, block: BlockAddress, key: string, value: TomlValue | undefined): string | undefined {
  const top = parseSyntax(body).body[0]
  const table = block === 'top' ? top : tablesOf(body).find(({ range }) => range[0] === block)
  if (!table) return undefined
  const pairs = (table.body as AST.TOMLTopLevelTable['body']).filter((node) => node.type === 'TOMLKeyValue')
  const existing = pairs.find((pair) => pair.key.keys.length === 1 && nameOf(pair.key.keys[0]) === key)
  if (existing && value === undefined) return cutPair(body, existing)
  if (value === undefined) return body
  if (existing) {
    return body.slice(0, existing.value.range[0]) + renderValue(value) + body.slice(existing.value.range[1])
  }
  const line = `${renderKey(key)} = ${renderValue(value)}`
  const last = pairs.at(-1)
  if (last || table.type === 'TOMLTable') return insertLine(body, lineEnd(body, (last ?? table).range[1]), line)
  return insertTop(body, line)
}

/**
 * Sets a key of the inline table at an offset of the text without a byte order mark, or removes it when there is no value;
 * undefined when none begins there.
 */
export const setInlineKey = (
  text: string,
  offset: number,
  key: string,
  value: TomlValue | undefined,
): string | undefined =>
  editBody(text, (body) => {
    const table = inlineTablesOf(parseSyntax(body).body[0]).find(({ range }) => range[0] === offset)
    if (!table) return undefined
    const existing = table.body.find((pair) => pair.key.keys.length === 1 && nameOf(pair.key.keys[0]) === key)
    if (value === undefined) return existing ? cutInlinePair(body, table, existing) : body
    const rendered = renderValue(value)
    if (existing) return body.slice(0, existing.value.range[0]) + rendered + body.slice(existing.value.range[1])
    const last = table.body.at(-1)
    const at = last ? last.range[1] : offset + 1
    return `${body.slice(0, at)}${last ? ',' : ''} ${renderKey(key)} = ${rendered}${last ? '' : ' '}${body.slice(at)}`
  })

/** Cuts a pair out of an inline table, with the comma before it, or after it if it is the first. */
function cutInlinePair(body: string, { body: pairs }: AST.TOMLInlineTable, pair: AST.TOMLKeyValue): string {
  const at = pairs.indexOf(pair)
  const [before, after] = [pairs[at - 1], pairs[at + 1]]
  if (before) return body.slice(0, before.range[1]) + body.slice(pair.range[1])
  return body.slice(0, pair.range[0]) + body.slice(after?.range[0] ?? pair.range[1])
}

/** The inline tables that are values of a table's keys, of tables below it as well. */
function inlineTablesOf(table: AST.TOMLTopLevelTable): AST.TOMLInlineTable[] {
  const pairs = table.body.flatMap((node) => (node.type === 'TOMLTable' ? node.body : [node]))
  return pairs.flatMap(({ value }) => (value.type === 'TOMLInlineTable' ? [value] : []))
}

const nameOf = (key: AST.TOMLBare | AST.TOMLQuoted | undefined): string | undefined =>
  key?.type === 'TOMLBare' ? key.name : key?.value

function cutPair(body: string, pair: AST.TOMLKeyValue): string {
  const before = body.slice(0, lineStart(body, pair.range[0]))
  const feed = body.indexOf('\n', pair.range[1])
  return feed < 0 ? before.replace(/\r?\n$/, '') : before + body.slice(feed + 1)
}

function insertLine(body: string, offset: number, line: string): string {
  return body.slice(0, offset) + lineBreakAt(body, offset) + line + body.slice(offset)
}

/** The first key of a file that has none at its top: before its first table, or at the end of its comments. */
function insertTop(body: string, line: string): string {
  const first = tablesOf(body)[0]
  const lineBreak = lineBreakAt(body, body.length)
  if (first) {
    const offset = lineStart(body, first.range[0])
    return `${body.slice(0, offset)}${line}${lineBreak}${lineBreak}${body.slice(offset)}`
  }
  const gap = body === '' || body.endsWith('\n') ? '' : lineBreak
  return `${body}${gap}${line}${lineBreak}`
}
