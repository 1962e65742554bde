import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Glob } from 'bun'
import { type Node, parseSync, Visitor } from 'oxc-parser'
import type { PlacedText } from './texts.ts'

const ROOT = resolve(import.meta.dir, '../..')

/** The texts in the sources of gc, with file and line. Files that `isWanted` rejects are not parsed. */
export function literalTexts(isWanted: (source: string) => boolean = () => true): PlacedText[] {
  const paths = ['src', 'cli', 'client', 'tui'].flatMap((folder) => [
    ...new Glob(`${folder}/**/*.{ts,tsx}`).scanSync(ROOT),
  ])
  return paths.sort().flatMap((path) => {
    const source = readFileSync(join(ROOT, path), 'utf8')
    const texts = isWanted(source.replace(/\s+/g, ' ')) ? literalsOf(path, source) : []
    return texts.map(({ text, start }) => ({ place: `${path}:${source.slice(0, start).split('\n').length}`, text }))
  })
}

/**
 * The string literals, templates and JSX texts of a source file that hold prose: two words or more. A placeholder becomes
 * `…`. Wire values, keys and names are one word. Tagged templates other than `html`,
 * literal types, SQL, scripts and lists of words are not prose.
 */
export function literalsOf(path: string, source: string): { text: string; start: number }[] {
  const found: { text: string; start: number }[] = []
  const code = new Set<Node>()
  const add = (node: Node, text: string) => {
    if (!code.has(node) && isProse(text))
      found.push({
        text: text
          .replace(/<[^>]+>/g, ' ')
          .replace(/\s+/g, ' ')
          .trim(),
        start: node.start,
      })
  }
  new Visitor({
    TSLiteralType: ({ literal }) => code.add(literal),
    TaggedTemplateExpression: ({ tag, quasi }) =>
      !(tag.type === 'Identifier' && tag.name === 'html') && code.add(quasi),
    Literal: (node) => typeof node.value === 'string' && add(node, node.value),
    TemplateLiteral: (node) => add(node, node.quasis.map(({ value }) => value.cooked ?? '').join('…')),
    JSXText: (node) => add(node, node.value),
  }).visit(parseSync(path, source).program)
  return found
}

const SQL = /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WHERE|JOIN|FROM|ORDER BY|VALUES|PRAGMA|AS)\b/

/** Brackets of JavaScript and GraphQL. */
const SCRIPT = /=> |\) \{/

/** True for lists of names and stop words: thirty words without the end of a sentence or clause. */
const isList = (text: string): boolean => text.split(/\s+/).length > 30 && !/[.:;?!](?:\s|$)/.test(text)

const isProse = (text: string): boolean =>
  /\p{L}{2,}\S* \S*\p{L}{2,}/u.test(text.replace(/\s+/g, ' ')) && !SQL.test(text) && !SCRIPT.test(text) && !isList(text)
