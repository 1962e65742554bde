import type { AST } from 'toml-eslint-parser'
import { parseToml } from './toml.ts'

/** A value that we write into a file. */
export type TomlValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>
export type Pairs = readonly (readonly [key: string, value: TomlValue | undefined])[]

const BOM = '\uFEFF'

/** Adds a block such as `[[rigs]]` after the last of its kind, or at the end. Every other byte stays. */
export const addBlock = (text: string, header: string, pairs: Pairs): string =>
  behindMark(text, (body) => insertBlock(body, header, pairs))

/** Cuts out the `index`th block of an array of tables, its sub-tables too; undefined when it is not written as a block. */
export const removeBlock = (text: string, section: string, index: number): string | undefined =>
  behindMark(text, (body) => cutBlock(body, section, index))

/** Gives a key of a block, or of the top of the file, a value; undefined takes the key away. */
export const setKey = (
  text: string,
  block: BlockAddress,
  key: string,
  value: TomlValue | undefined,
): string | undefined => behindMark(text, (body) => putKey(body, block, key, value))

/** Where a key stands: in the `index`th block of a section, or at the top of the file. */
export type BlockAddress = { readonly section: string; readonly index: number } | 'top'

/** The lines of a block. */
export function renderPairs(pairs: Pairs): string[] {
  return pairs.flatMap(([key, value]) => (value === undefined ? [] : [`${renderKey(key)} = ${renderValue(value)}`]))
}

const renderKey = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : quote(key))

export function renderValue(value: TomlValue): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `[${value.map(quote).join(', ')}]`
  const pairs = Object.entries(value).map(([key, text]) => `${renderKey(key)} = ${quote(text)}`)
  return pairs.length > 0 ? `{ ${pairs.join(', ')} }` : '{}'
}

/** JSON's escapes are TOML's, but for DEL and for halves of characters. */
const quote = (text: string): string => JSON.stringify(text.toWellFormed()).replaceAll('\x7f', '\\u007f')

function behindMark<Result extends string | undefined>(text: string, edit: (body: string) => Result): Result | string {
  if (!text.startsWith(BOM)) return edit(text)
  const edited = edit(text.slice(1))
  return edited === undefined ? edited : BOM + edited
}

const tables = (body: string): AST.TOMLTable[] =>
  parseToml(body).body[0].body.filter((node): node is AST.TOMLTable => node.type === 'TOMLTable')

/** How the line that ends at `at` is ended, or else the first line of the text. */
function ending(body: string, at: number): string {
  const own = /^\r?\n/.exec(body.slice(at, at + 2))?.[0]
  return own ?? /\r?\n/.exec(body)?.[0] ?? '\n'
}

/** The end of the line that `at` is in, before its line break. */
function lineEnd(body: string, at: number): number {
  const feed = body.indexOf('\n', at)
  if (feed < 0) return body.length
  return body[feed - 1] === '\r' && feed > at ? feed - 1 : feed
}

const lineStart = (body: string, at: number): number => body.lastIndexOf('\n', at - 1) + 1

function insertBlock(body: string, header: string, pairs: Pairs): string {
  const section = header.replace(/^\[+|\]+$/g, '')
  const last = tables(body).findLast((table) => table.resolvedKey[0] === section)
  const at = last ? afterComments(body, lineEnd(body, last.range[1])) : body.length
  const eol = ending(body, at)
  const block = [header, ...renderPairs(pairs)].join(eol)
  if (at < body.length || (body !== '' && !body.endsWith('\n'))) {
    return body.slice(0, at) + eol + eol + block + body.slice(at)
  }
  return body + (body === '' ? '' : eol) + block + eol
}

/** Comments right under a block belong to it, unless they stand right over the next one. */
function afterComments(body: string, at: number): number {
  const under = /^(?:\r?\n[ \t]*#[^\n\r]*)+/.exec(body.slice(at))?.[0] ?? ''
  const next = /^\r?\n([^\r\n]*)/.exec(body.slice(at + under.length))?.[1] ?? ''
  return next.trim() === '' ? at + under.length : at
}

function cutBlock(body: string, section: string, index: number): string | undefined {
  const parts = tables(body).filter(({ resolvedKey }) => resolvedKey[0] === section && resolvedKey[1] === index)
  if (parts.length === 0) return undefined
  return parts.reduceRight((rest, { range }) => cutLines(rest, range[0], range[1]), body)
}

/** Cuts whole lines out, and one empty line over them. */
function cutLines(body: string, start: number, end: number): string {
  const first = lineStart(body, start)
  const over = /(^|\n)(\r?\n)$/.exec(body.slice(0, first))?.[2] ?? ''
  const from = first - over.length
  const feed = body.indexOf('\n', end)
  if (feed >= 0) return body.slice(0, from) + body.slice(feed + 1)
  return body.slice(0, from).replace(/\r?\n$/, '')
}

function putKey(body: string, block: BlockAddress, key: string, value: TomlValue | undefined): string | undefined {
  const top = parseToml(body).body[0]
  const home =
    block === 'top'
      ? top
      : tables(body).find(
          ({ resolvedKey: [name, index, more] }) =>
            name === block.section && index === block.index && more === undefined,
        )
  if (!home) return undefined
  const pairs = (home.body as AST.TOMLTopLevelTable['body']).filter((node) => node.type === 'TOMLKeyValue')
  const known = pairs.find((pair) => pair.key.keys.length === 1 && nameOf(pair.key.keys[0]) === key)
  if (known && value === undefined) return cutPair(body, known)
  if (value === undefined) return body
  if (known) return body.slice(0, known.value.range[0]) + renderValue(value) + body.slice(known.value.range[1])
  const line = `${renderKey(key)} = ${renderValue(value)}`
  const last = pairs.at(-1)
  if (last || home.type === 'TOMLTable') return insertLine(body, lineEnd(body, (last ?? home).range[1]), line)
  return insertTop(body, line)
}

const nameOf = (key: AST.TOMLBare | AST.TOMLQuoted | undefined): string | undefined =>
  key?.type === 'TOMLBare' ? key.name : key?.value

function cutPair(body: string, pair: AST.TOMLKeyValue): string {
  const before = body.slice(0, lineStart(body, pair.range[0]))
  const feed = body.indexOf('\n', pair.range[1])
  return feed < 0 ? before.replace(/\r?\n$/, '') : before + body.slice(feed + 1)
}

function insertLine(body: string, at: number, line: string): string {
  return body.slice(0, at) + ending(body, at) + line + body.slice(at)
}

/** The first key of a file that has none at its top: before its first table, or at the end of its comments. */
function insertTop(body: string, line: string): string {
  const first = tables(body)[0]
  const eol = ending(body, body.length)
  if (first) {
    const at = lineStart(body, first.range[0])
    return `${body.slice(0, at)}${line}${eol}${eol}${body.slice(at)}`
  }
  const gap = body === '' || body.endsWith('\n') ? '' : eol
  return `${body}${gap}${line}${eol}`
}
