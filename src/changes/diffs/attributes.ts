import { Glob } from 'bun'

interface Rule {
  readonly folder: string
  readonly glob: Glob
  /** Matches the last segment of a path, at any depth. */
  readonly isName: boolean
  readonly isGenerated: boolean
}

const MAX_RULES = 1000
const MAX_PATTERN = 256

/**
 * The files that `.gitattributes` declare to be generated: `linguist-generated` and `linguist-vendored`. They are read as
 * text, and nothing else that they declare has an effect.
 */
export class GeneratedAttributes {
  readonly #rules: readonly Rule[]

  /** The text of each `.gitattributes`, by the folder that it is in: `''`, `'src/'`. */
  constructor(texts: ReadonlyMap<string, string>) {
    const folders = [...texts.keys()].sort((a, b) => a.length - b.length)
    this.#rules = folders.flatMap((folder) => readRules(folder, texts.get(folder) ?? '')).slice(0, MAX_RULES)
  }

  /** True if a file is declared to be generated; undefined when no rule names it. The last rule decides. */
  declares(path: string): boolean | undefined {
    const name = path.slice(path.lastIndexOf('/') + 1)
    return this.#rules.findLast(
      ({ folder, glob, isName }) => path.startsWith(folder) && glob.match(isName ? name : path.slice(folder.length)),
    )?.isGenerated
  }
}

function readRules(folder: string, text: string): Rule[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [pattern = '', ...attributes] = line.trim().split(/[ \t]+/)
    const value = attributes.map(toDeclaration).findLast((each) => each !== undefined)
    if (pattern === '' || /^[#!"]|^\[attr\]/.test(pattern) || value === undefined) return []
    return toRule(folder, pattern, value)
  })
}

function toDeclaration(attribute: string): boolean | undefined {
  const [, minus, value] = /^([-!]?)linguist-(?:generated|vendored)(?:=(\w+))?$/.exec(attribute) ?? []
  if (minus === undefined) return undefined
  return minus === '' && value !== 'false'
}

function toRule(folder: string, pattern: string, isGenerated: boolean): Rule[] {
  if (pattern.length > MAX_PATTERN) return []
  const isName = !pattern.slice(0, -1).includes('/')
  // Braces are not wildcards for git.
  const glob = new Glob(pattern.replace(/^\//, '').replace(/[{}]/g, '\\$&'))
  return [{ folder, glob, isName, isGenerated }]
}
