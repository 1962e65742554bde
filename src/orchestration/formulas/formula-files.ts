import { basename, dirname, join, normalize, relative } from 'node:path'
import { type FileSnapshot, suggestion, withHint } from '../../config/files/index.ts'
import { BUILTIN_FILES, BUILTIN_PACKS, builtinSource } from '../../config/packs/index.ts'
import type { ParsedFormula } from './formula.ts'
import { parseFormula } from './parse.ts'
import type { Capabilities } from './requirements.ts'

/** The files that formulas are compiled from. */
export interface FormulaFiles {
  readonly capabilities: Capabilities
  /** The formula of a name, from the highest layer that has it; undefined when none does. */
  formula(name: string): ParsedFormula | undefined
  /** Absolute path of that formula. */
  fileOf(name: string): string | undefined
  /** The names of all formulas, sorted. */
  names(): string[]
  /** More steps than these are not compiled here: TooSlow is thrown. */
  readonly maxQuickSteps?: number
  /** The formula folders from the lowest to the highest layer, absolute. */
  readonly folders: readonly string[]
  /**
   * A file that a formula names from its own folder. `../assets/…` is looked for in every layer, the highest first, before
   * the formula's own; nothing outside of a layer is there.
   */
  asset(formulaFile: string, path: string): Asset | undefined
}

export interface Asset {
  /** Absolute. */
  readonly file: string
  readonly text: string
}

/** The sentence for a formula that another one names and that no layer has. */
export const missingFormula = (files: Pick<FormulaFiles, 'names'>, name: string): string =>
  withHint(`there is no formula "${name}" in the formula folders of this city and its packs`, missingHint(files, name))

/** The import that brings a missing formula, or the name that was meant; empty when neither is known. */
export function missingHint(files: Pick<FormulaFiles, 'names'>, name: string): string {
  const pack = BUILTIN_PACKS.find((each) => BUILTIN_FILES.some(([path]) => path === `${each}/formulas/${name}.toml`))
  if (pack === undefined) return suggestion(name, files.names())
  return `it is in the pack ${pack}, which is not imported: gc import add ${builtinSource(pack)} --name ${pack}`
}

/** The spellings of a file, the first one wins in a folder. */
const SUFFIXES = ['.toml', '.formula.toml', '.formula.json']
const NAME = /^(.+?)(?:\.formula\.(?:toml|json)|\.toml)$/
const ASSETS = '../assets/'

/** Formulas in the folders of packs, the highest layer last. */
export class LayeredFormulas implements FormulaFiles {
  readonly #parsed = new Map<string, ParsedFormula>()
  #index: ReadonlyMap<string, { layer: string; file: string }> | undefined

  constructor(
    private readonly files: FileSnapshot,
    /** From the lowest to the highest layer, absolute: each in the folder of its pack. */
    readonly folders: readonly string[],
    readonly capabilities: Capabilities,
    /** A text that stands for the file of a formula in the highest layer. */
    private readonly draft?: { readonly name: string; readonly text: string },
    private readonly cache: ParsedFormulas = new ParsedFormulas(),
  ) {}

  formula(name: string): ParsedFormula | undefined {
    const parsed = this.#parsed.get(name) ?? this.#parse(name)
    if (parsed) this.#parsed.set(name, parsed)
    return parsed
  }

  fileOf(name: string): string | undefined {
    const found = this.#files.get(name)
    return found && join(found.layer, found.file)
  }

  names(): string[] {
    return [...this.#files.keys()].sort()
  }

  /** The text of a formula's file; undefined when it cannot be read. */
  textOf(name: string): string | undefined {
    const found = this.#files.get(name)
    return found && this.#textOf(name, found)
  }

  /** The file of a formula in the highest layer, named from its formula folder; undefined when it has none. */
  inHighest(name: string): Asset | undefined {
    const found = this.#files.get(name)
    if (!found || found.layer !== this.folders.at(-1)) return undefined
    const text = this.#text(found.layer, found.file)
    return text === undefined ? undefined : { file: found.file, text }
  }

  asset(formulaFile: string, path: string): Asset | undefined {
    const own = this.#assetAt(normalize(join(dirname(formulaFile), path)))
    if (!path.startsWith(ASSETS)) return own
    const rest = normalize(path.slice(ASSETS.length))
    if (rest.startsWith('..')) return undefined
    const shipped = this.folders
      .toReversed()
      .flatMap((folder) => this.#assetAt(join(dirname(folder), 'assets', rest)) ?? [])
    return shipped[0] ?? own
  }

  /** A file in the pack of one of the layers. */
  #assetAt(file: string): Asset | undefined {
    const pack = this.folders.map((folder) => dirname(folder)).findLast((each) => file.startsWith(`${each}/`))
    const text = pack && this.files.root(pack).text(relative(pack, file))
    return text === undefined ? undefined : { file, text }
  }

  #parse(name: string): ParsedFormula | undefined {
    const found = this.#files.get(name)
    if (!found) return undefined
    const { layer } = found
    const file = join(layer, found.file)
    const text = this.#textOf(name, found)
    if (text === undefined) return { errors: [{ file, line: 1, message: 'the file cannot be read as text' }] }
    return this.cache.parse({ file, layer, text })
  }

  #textOf(name: string, { layer, file }: { layer: string; file: string }): string | undefined {
    const isDraft = this.draft?.name === name && layer === this.folders.at(-1)
    return isDraft ? this.draft.text : this.#text(layer, file)
  }

  #text(layer: string, file: string): string | undefined {
    return this.files.root(dirname(layer)).text(join(basename(layer), file))
  }

  get #files(): ReadonlyMap<string, { layer: string; file: string }> {
    this.#index ??= this.#list()
    return this.#index
  }

  #list(): Map<string, { layer: string; file: string }> {
    const index = new Map<string, { layer: string; file: string }>()
    for (const layer of this.folders) {
      const files = [...this.files.root(dirname(layer)).fileNames(basename(layer))].sort((a, b) => rank(b) - rank(a))
      for (const file of files) {
        const name = NAME.exec(basename(file))?.[1]
        if (name !== undefined) index.set(name, { layer, file })
      }
    }
    const highest = this.folders.at(-1)
    if (this.draft && highest !== undefined) {
      index.set(this.draft.name, { layer: highest, file: `${this.draft.name}${SUFFIXES[0]}` })
    }
    return index
  }
}

/** The place of a file's spelling: the lower, the sooner it wins. */
const rank = (file: string): number => (file.endsWith('.formula.json') ? 2 : file.endsWith('.formula.toml') ? 1 : 0)

/** Parsed formula files, by text. */
export class ParsedFormulas {
  readonly #parsed = new Map<string, { text: string; parsed: ParsedFormula }>()

  parse(source: { file: string; layer: string; text: string }): ParsedFormula {
    const earlier = this.#parsed.get(source.file)
    if (earlier?.text === source.text) return earlier.parsed
    const parsed = parseFormula(source)
    if (source.text.length > MAX_TEXT) {
      this.#parsed.delete(source.file)
      return parsed
    }
    if (this.#parsed.size >= MAX_PARSED) this.#parsed.clear()
    this.#parsed.set(source.file, { text: source.text, parsed })
    return parsed
  }
}

const MAX_PARSED = 2000
/** Characters of a text of which what was made is kept: that of a megabyte takes twenty. */
const MAX_TEXT = 128 * 1024
