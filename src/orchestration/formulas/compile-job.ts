import { FileCache, FileSnapshot } from '../../config/files/index.ts'
import { collectGarbage } from '../../core/collect-garbage.ts'
import { nextTick } from '../../core/event-loop.ts'
import { compile } from './compile.ts'
import { judgeDraft } from './draft.ts'
import { LayeredFormulas, ParsedFormulas } from './formula-files.ts'
import { type FormulaReport, lintFormula } from './lint.ts'
import { type ListedFormula, listFormula } from './listing.ts'
import type { CompileResult, Recipe } from './recipe.ts'
import type { Capabilities } from './requirements.ts'
import { type Noted, noteEach } from './uses.ts'

/** Job on the formulas of a city in another thread. */
export interface FormulaJob {
  /** The folder of the city. */
  readonly path: string
  readonly folders: readonly string[]
  readonly capabilities: Capabilities
  /** A text that stands for the file of a formula. */
  readonly draft?: { readonly name: string; readonly text: string }
  readonly task:
    | { readonly is: 'compile'; readonly name: string; readonly variables: Readonly<Record<string, string>> }
    | { readonly is: 'judge'; readonly name: string }
    | { readonly is: 'list' | 'lint'; readonly names: readonly string[] }
}

/** Result of the job. */
export interface FormulaJobResult {
  readonly compiled?: CompiledParts
  readonly listed?: readonly Noted<ListedFormula | undefined>[]
  readonly reports?: readonly Noted<FormulaReport>[]
  /** Problems of a draft. */
  readonly problems?: readonly string[]
  /** True if the thread has grown so much that it should end. */
  readonly isSpent?: boolean
}

/**
 * Steps and edges are JSON in pieces, since reading a large recipe in one go would hold up the loop. They are bytes, which
 * one thread hands over to the other without a copy.
 */
export type CompiledParts =
  | {
      readonly head: Recipe
      readonly known: readonly string[]
      readonly steps: readonly Piece[]
      readonly deps: readonly Piece[]
    }
  | Extract<CompileResult, { errors: unknown }>

type Piece = Uint8Array<ArrayBuffer>

/** Maximum steps or edges in one piece. */
const PIECE = 200

/** Works on the formulas of cities, as their files are now. */
export class FormulaJobs {
  readonly #files = new FileCache()
  readonly #parsed = new ParsedFormulas()

  run({ path, folders, capabilities, draft, task }: FormulaJob): FormulaJobResult {
    const snapshot = new FileSnapshot(path, new Map(), this.#files)
    const files = new LayeredFormulas(snapshot, folders, capabilities, draft, this.#parsed)
    switch (task.is) {
      case 'compile':
        return { compiled: inParts(compile(files, task.name, task.variables)) }
      case 'judge':
        return { problems: judgeDraft(files, task.name) }
      case 'list':
        return { listed: noteEach(task.names, files, files, listFormula) }
      case 'lint':
        return { reports: noteEach(task.names, files, files, lintFormula) }
    }
  }
}

function inParts(result: CompileResult): CompiledParts {
  if (!('recipe' in result)) return result
  const { steps, deps, ...head } = result.recipe
  return { head: { ...head, steps: [], deps: [] }, known: result.known, steps: inPieces(steps), deps: inPieces(deps) }
}

function inPieces(items: readonly unknown[]): Piece[] {
  const encoder = new TextEncoder()
  return Array.from({ length: Math.ceil(items.length / PIECE) }, (_, at) => {
    collectGarbage()
    return encoder.encode(JSON.stringify(items.slice(at * PIECE, (at + 1) * PIECE)))
  })
}

/** The memory of a result that moves to the other thread with it. */
export const movedWith = ({ compiled }: FormulaJobResult): ArrayBuffer[] =>
  compiled && 'head' in compiled ? [...compiled.steps, ...compiled.deps].map(({ buffer }) => buffer) : []

/** Puts a recipe together again, and leaves the loop free between its pieces. */
export async function assemble(parts: CompiledParts): Promise<CompileResult> {
  if (!('head' in parts)) return parts
  const { head, known, steps, deps } = parts
  return { known, recipe: { ...head, steps: await readPieces(steps), deps: await readPieces(deps) } }
}

async function readPieces<Item>(pieces: readonly Piece[]): Promise<Item[]> {
  const items: Item[] = []
  const decoder = new TextDecoder()
  for (const piece of pieces) {
    const read: Item[] = JSON.parse(decoder.decode(piece))
    // Frees its memory now instead of at the next collection.
    piece.buffer.transfer(0)
    items.push(...read)
    await nextTick()
  }
  return items
}
