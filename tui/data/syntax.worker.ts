import { refractor } from 'refractor'
import docker from 'refractor/docker'
import toml from 'refractor/toml'
import tsx from 'refractor/tsx'
import type { SyntaxRange, Tone } from '../../client/views/index.ts'
import type { SyntaxJob, SyntaxResult } from './syntax.ts'

/** Finds the syntax of texts: a thread of its own, since some languages take a while. */

declare const self: Worker

for (const language of [tsx, toml, docker]) refractor.register(language)

/** Tones by the names of Prism's tokens; others are plain. */
const TONE_OF: Readonly<Record<string, Tone>> = {
  ...tones('keyword', 'keyword', 'boolean', 'tag', 'atrule', 'important', 'directive', 'null', 'nil', 'title'),
  ...tones('string', 'string', 'char', 'regex', 'attr-value', 'template-string', 'url', 'code', 'code-snippet'),
  ...tones('number', 'number', 'constant', 'symbol', 'entity', 'unit', 'hexcode', 'color'),
  ...tones('name', 'function', 'class-name', 'builtin', 'property', 'attr-name', 'selector', 'decorator', 'annotation'),
  ...tones(
    'name',
    'key',
    'table',
    'macro',
    'namespace',
    'variable',
    'label',
    'lifetime-annotation',
    'function-variable',
  ),
  ...tones('quiet', 'comment', 'prolog', 'doctype', 'cdata', 'blockquote'),
}

function tones(tone: Tone, ...classes: readonly string[]): Record<string, Tone> {
  return Object.fromEntries(classes.map((name) => [name, tone]))
}

self.onmessage = ({ data: { id, language, texts } }: MessageEvent<SyntaxJob>) => {
  const lines = refractor.registered(language) ? texts.map((text) => linesOf(language, text)) : undefined
  self.postMessage({ id, lines } satisfies SyntaxResult)
}

type Tree = ReturnType<typeof refractor.highlight>

/** What stands on each line of a text. */
function linesOf(language: string, text: string): SyntaxRange[][] {
  const lines: SyntaxRange[][] = [[]]
  let column = 0
  const add = (part: string, tone: Tone | undefined) => {
    for (const [at, piece] of part.split('\n').entries()) {
      if (at > 0) {
        lines.push([])
        column = 0
      }
      if (tone !== undefined && piece !== '') lines.at(-1)?.push([column, column + piece.length, tone])
      column += piece.length
    }
  }
  walk(refractor.highlight(text, language), undefined, add)
  return lines
}

function walk(
  { children }: Pick<Tree, 'children'>,
  tone: Tone | undefined,
  add: (part: string, tone: Tone | undefined) => void,
): void {
  for (const child of children) {
    if (child.type === 'text') add(child.value, tone)
    if (child.type !== 'element') continue
    const { className } = child.properties
    const own = Array.isArray(className)
      ? className.map((name) => TONE_OF[name]).find((each) => each !== undefined)
      : undefined
    // What stands in a template is code of its own.
    const isCode = Array.isArray(className) && className.includes('interpolation')
    walk(child, own ?? (isCode ? undefined : tone), add)
  }
}
