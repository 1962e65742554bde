import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Glob } from 'bun'
import { type Expression, type Node, type Program, parseSync, Visitor } from 'oxc-parser'

const ROOT = resolve(import.meta.dir, '../..')

/** A name, or a part of one, that only a running gc knows. */
const ANY = '*'
/** Stands before the first name of a path. */
const ANYWHERE = ''
/** The folder of the supervisor or of the user, and any other folder that a variable holds. */
const HOME = '$HOME'
const FOLDER = '…'

/** Names of folders and files in the order in which the sources join them. */
type Path = readonly string[]

interface SourceFile {
  readonly source: string
  readonly program: Program
  /** Constants and functions of one expression, by name. */
  readonly named: ReadonlyMap<string, readonly Node[]>
}

/** Folders and files as the sources name them: which name stands below which. */
export class SourcePaths {
  readonly #below = new Map<string, Set<string>>()
  readonly #last = new Set<string>()

  constructor(paths: Iterable<Path>) {
    for (const path of paths) {
      for (const [at, name] of path.entries()) {
        this.#add(ANYWHERE, name)
        if (at > 0) this.#add(path[at - 1] ?? '', name)
      }
      this.#last.add(path.at(-1) ?? '')
    }
  }

  /** True if the sources put each name of a path below the one before. `<name>` stands for any name. */
  has(path: string): boolean {
    const names = path
      .replace(/<[^>]+>|\{+[.\w]+\}+/g, ANY)
      .replace(/^(?:~\/\.gc|\$GC_HOME)(?=\/|$)/, HOME)
      .replace(/^~?\/|\/$|\/\*\*$/g, '')
      .split('/')
    return names.every((name, at) => name === ANY || name === HOME || this.#isBelow(names[at - 1] ?? ANYWHERE, name))
  }

  #isBelow(before: string, name: string): boolean {
    if (this.#holds(before, name)) return true
    return before !== HOME && before !== '.gc' && this.#last.has(before) && this.#holds(FOLDER, name)
  }

  #holds(before: string, name: string): boolean {
    const names = this.#below.get(before) ?? new Set()
    return (
      names.has(name) || [...names].some((each) => each.replaceAll(ANY, '').length > 2 && patternOf(each)?.test(name))
    )
  }

  #add(before: string, name: string): void {
    this.#below.set(before, (this.#below.get(before) ?? new Set()).add(name))
  }
}

const patterns = new Map<string, RegExp | undefined>()

/** A name with variable parts as a pattern; undefined for other names. */
function patternOf(name: string): RegExp | undefined {
  if (!name.includes(ANY)) return undefined
  const fixed = name.split(ANY).map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = patterns.get(name) ?? new RegExp(`^${fixed.join('.+')}$`)
  patterns.set(name, pattern)
  return pattern
}

/** The paths that gc and its scripts name. */
export function sourcePaths(): SourcePaths {
  const files = ['src', 'client', 'cli', 'tui', 'scripts'].flatMap((folder) =>
    [...new Glob(`${folder}/**/*.{ts,tsx}`).scanSync(ROOT)].map((path) =>
      readSource(path, readFileSync(join(ROOT, path), 'utf8')),
    ),
  )
  const everywhere = new Map<string, Node[]>()
  for (const { named } of files)
    for (const [name, nodes] of named) everywhere.set(name, [...(everywhere.get(name) ?? []), ...nodes])
  return new SourcePaths(files.flatMap((file) => pathsOf(file, everywhere)))
}

/** The paths of one source file. */
export const pathsIn = (source: string): SourcePaths => {
  const file = readSource('x.ts', source)
  return new SourcePaths(pathsOf(file, file.named))
}

function readSource(path: string, source: string): SourceFile {
  const { program } = parseSync(path, source)
  const named = new Map<string, Node[]>()
  const add = (name: string, node: Node | null) => node && named.set(name, [...(named.get(name) ?? []), node])
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (id.type === 'Identifier') add(id.name, init?.type === 'ArrowFunctionExpression' ? init.body : init)
    },
    PropertyDefinition: ({ key, value }) => add(nameOf(key), value),
  }).visit(program)
  return { source, program, named }
}

/** The paths that a file joins, and its texts that are one. */
function pathsOf(file: SourceFile, everywhere: SourceFile['named']): Path[] {
  const found: Path[] = []
  const evaluate = (node: Node) => valuesOf(file, everywhere, node, 0)
  new Visitor({
    CallExpression: (node) => {
      if (isJoin(node)) found.push(...evaluate(node))
    },
    TemplateLiteral: (node) => {
      const paths = evaluate(node).filter((path) => path.every((name) => /^[\w@.*-]*$/.test(name)))
      found.push(...paths.flatMap((path) => [path, [FOLDER, ...path]]))
    },
    Literal: ({ value }) => {
      const path = typeof value === 'string' ? value.replace(/^(?:GET|POST) /, '') : ''
      if (/^~?\/?[\w@.-]+(?:\/[\w@.*-]+)*\/?$/.test(path)) found.push(split(path))
    },
  }).visit(file.program)
  return found
}

const split = (text: string): string[] => text.replace(/^~?\/|\/$/g, '').split('/')

const isJoin = (node: Node): boolean =>
  node.type === 'CallExpression' && /^(?:join|resolve|requireNoLinks)$/.test(nameOf(node.callee))

const nameOf = (node: Expression | Node): string => {
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return node.name
  return node.type === 'MemberExpression' ? nameOf(node.property) : ''
}

/** Follows constants and functions at most this far. */
const MAX_DEPTH = 5
/** A name with more meanings than this is a variable. */
const MAX_MEANINGS = 8

/** The paths that an expression can be, with `*` where only a running gc knows. */
function valuesOf(file: SourceFile, everywhere: SourceFile['named'], node: Node, depth: number): Path[] {
  const inner = (each: Node) => valuesOf(file, everywhere, each, depth + 1)
  if (node.type === 'Literal') return [typeof node.value === 'string' ? split(node.value) : [ANY]]
  if (node.type === 'ConditionalExpression') return [...inner(node.consequent), ...inner(node.alternate)]
  if (node.type === 'LogicalExpression') return [...inner(node.left), ...inner(node.right)]
  if (node.type === 'TemplateLiteral') {
    const isAtRoot = (path: Path) => path[0] === FOLDER || path[0] === HOME
    const texts = node.quasis.flatMap(({ value }, at) => {
      const hole = node.expressions[at]
      return [[value.cooked ?? ''], hole ? inner(hole).map((path) => (isAtRoot(path) ? ANY : path.join('/'))) : ['']]
    })
    return choices(texts).map((parts) => split(parts.join('')))
  }
  if (node.type === 'CallExpression' && isJoin(node)) {
    const [first, ...others] = node.arguments
    const folders = !first ? [] : isHome(file, first) ? [[HOME]] : inner(first)
    const roots = folders.map((path) => (path.length === 1 && path[0] === ANY ? [FOLDER] : path))
    return choices([roots, ...others.map(inner)]).map((parts) => parts.flat().filter((name) => name !== ''))
  }
  const name = nameOf(node.type === 'CallExpression' ? node.callee : node)
  const meanings = file.named.get(name) ?? everywhere.get(name) ?? []
  if (depth >= MAX_DEPTH || meanings.length === 0 || meanings.length > MAX_MEANINGS || name === 'path') return [[ANY]]
  return meanings.flatMap(inner)
}

/** True for an expression that by its name is the folder of the supervisor or of the user. */
const isHome = ({ source }: SourceFile, node: Node): boolean =>
  !isJoin(node) && /^[\w.#]*home\b[\w.()]*$/i.test(source.slice(node.start, node.end))

/** Maximum paths of one expression. */
const MAX_CHOICES = 200

/** Every choice of one element of each list. */
const choices = <T>(lists: readonly (readonly T[])[]): T[][] =>
  lists.reduce<T[][]>(
    (chosen, list) => chosen.flatMap((before) => list.map((each) => [...before, each])).slice(0, MAX_CHOICES),
    [[]],
  )

const FILE_NAME = /^[\w-]+(?:\.[\w-]+)*\.(?:toml|db|sock|log|json|jsonl|md|service|plist|sh|pem|txt|zst|rules|js)$/
const FROM_ROOT = /^[./][\w.<>@*{}-]+(?:\/[\w.<>@*{}-]+)*\/?$/
const EMBEDDED = /(?<![\w/$.])(?:\$\{?GC_HOME\}?\/|~\/\.|\.gc\/)[\w<>@.*{}/-]*\w[>}*]*/g

/** Files, folders and addresses of a document: names of files, spans that begin with `.` or `/`, and paths in any text. */
export function documentPaths(markdown: string): string[] {
  const prose = markdown.replace(/```[\s\S]*?```/g, '')
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  const paths = spans.filter((span) => FILE_NAME.test(span) || FROM_ROOT.test(span))
  return [...paths.filter((path) => !/^\.(?:ci|github)\//.test(path)), ...embeddedPaths(markdown)]
}

/** The paths below the folders of gc and below dot folders of the user that a text holds. */
export const embeddedPaths = (text: string): string[] =>
  (text.match(EMBEDDED) ?? []).map((path) => path.replace(/^\$\{(\w+)\}/, '$$$1'))
