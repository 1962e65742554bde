import { sanitizeLine, showHidden } from '../../src/client/text.ts'
import type { ImportOwner, ImportState, ImportTree, StartingProgram } from '../../src/config/packs/index.ts'
import { type Io, printLine } from '../io/io.ts'

/** Lock of an import, in a word. */
export const lockedWord = ({ parsed, locked, location }: ImportState): string => {
  if (parsed.kind !== 'git') return '(path)'
  if (locked) return locked.version
  return location.kind === 'builtin' ? '(part of gc)' : '(unlocked)'
}

/** The name of an import among those of other owners. */
export const qualifiedName = (owner: ImportOwner, binding: string): string =>
  owner.kind === 'rig' ? `rig:${owner.rig}:${binding}` : `${owner.kind}:${binding}`

/** An import as scripts read it. */
export function importJson({ declared, parsed, locked, location }: ImportState) {
  const { binding, owner, source, version } = declared
  return {
    ...{ name: qualifiedName(owner, binding), source, ...(version && { constraint: version }) },
    kind: parsed.kind === 'git' ? 'remote' : 'path',
    ...(parsed.kind !== 'git' && location.kind !== 'missing' && { path: location.folder }),
    ...(locked && {
      pin: { version: locked.version, commit: locked.commit, ...(locked.fetched && { fetched: locked.fetched }) },
    }),
  }
}

export function printTree(io: Io, trees: readonly ImportTree[], depth = 0): void {
  for (const tree of trees) {
    const { binding, source } = tree.declared
    const word = lockedWord(tree)
    const shown = `${binding} ${word.startsWith('(') ? word : `(${word})`} - ${source}`
    const more = tree.isRepeated ? ' (as above)' : ''
    printLine(io, `${'  '.repeat(depth)}${sanitizeLine(shown)}${more}`)
    printTree(io, tree.imports, depth + 1)
  }
}

/** Lists what starts automatically, before it does. */
export function printPrograms(io: Io, programs: readonly StartingProgram[], heading: string): void {
  if (programs.length === 0) return
  io.err(`${heading}\n`)
  for (const { pack, kind, name, runs } of programs) io.err(`  ${showHidden(`${kind} ${name} (${pack}), ${runs}`)}\n`)
}

/** A line of a table for scripts: what packs are called cannot move the cursor. */
export const printCells = (io: Io, ...cells: readonly string[]): void =>
  printLine(io, cells.map(sanitizeLine).join('\t'))
