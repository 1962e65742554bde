import { FileCache } from '../../config/files/file-cache.ts'
import { FileSnapshot } from '../../config/files/file-snapshot.ts'
import { compile } from './compile.ts'
import { LayeredFormulas, ParsedFormulas } from './formula-files.ts'
import type { CompileResult, Recipe } from './recipe.ts'
import type { Capabilities } from './requirements.ts'

/** A formula that another thread compiles. */
export interface CompileJob {
  /** The folder of the city. */
  readonly path: string
  readonly folders: readonly string[]
  readonly capabilities: Capabilities
  readonly name: string
  readonly variables: Readonly<Record<string, string>>
}

/** What came of it: steps and edges are JSON in pieces, since reading a large recipe in one go would hold up the loop. */
export type CompiledParts =
  | { readonly head: Recipe; readonly steps: readonly string[]; readonly deps: readonly string[] }
  | Extract<CompileResult, { errors: unknown }>

/** How many steps or edges one piece holds. */
const PIECE = 200

/** Compiles formulas, as the files of a city are now. */
export class CompileRunner {
  readonly #files = new FileCache()
  readonly #parsed = new ParsedFormulas()

  run({ path, folders, capabilities, name, variables }: CompileJob): CompiledParts {
    const snapshot = new FileSnapshot(path, new Map(), this.#files)
    const files = new LayeredFormulas(snapshot, folders, capabilities, undefined, this.#parsed)
    const result = compile(files, name, variables)
    if (!('recipe' in result)) return result
    const { steps, deps, ...head } = result.recipe
    return { head: { ...head, steps: [], deps: [] }, steps: inPieces(steps), deps: inPieces(deps) }
  }
}

const inPieces = (items: readonly unknown[]): string[] =>
  Array.from({ length: Math.ceil(items.length / PIECE) }, (_, at) =>
    JSON.stringify(items.slice(at * PIECE, (at + 1) * PIECE)),
  )

/** Puts a recipe together again, and leaves the loop free between its pieces. */
export async function assemble(parts: CompiledParts): Promise<CompileResult> {
  if (!('head' in parts)) return parts
  const { head, steps, deps } = parts
  return { recipe: { ...head, steps: await readPieces(steps), deps: await readPieces(deps) } }
}

async function readPieces<Item>(pieces: readonly string[]): Promise<Item[]> {
  const items: Item[] = []
  for (const piece of pieces) {
    const read: Item[] = JSON.parse(piece)
    items.push(...read)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return items
}
