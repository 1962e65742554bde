import type { ImportState, ImportTree } from '../../src/config/packs/import-states.ts'
import type { ImportOwner } from '../../src/config/packs/imports.ts'
import type { StartingProgram } from '../../src/config/packs/programs.ts'
import { type Io, printLine } from '../io/io.ts'

/** What an import is locked to, in a word. */
export const lockedWord = ({ parsed, locked, location }: ImportState): string => {
  if (parsed.kind !== 'git') return '(path)'
  if (locked) return locked.version
  return location.kind === 'builtin' ? '(part of gc)' : '(unlocked)'
}

/** The name of an import among those of other owners. */
export const ownedName = (owner: ImportOwner, binding: string): string =>
  owner.kind === 'rig' ? `rig:${owner.rig}:${binding}` : `${owner.kind}:${binding}`

/** An import as scripts read it. */
export function importJson({ declared, parsed, locked, location }: ImportState) {
  const { binding, owner, source, version } = declared
  return {
    ...{ name: ownedName(owner, binding), source, ...(version && { constraint: version }) },
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
    printLine(io, `${'  '.repeat(depth)}${binding} ${word.startsWith('(') ? word : `(${word})`} - ${source}`)
    printTree(io, tree.imports, depth + 1)
  }
}

/** Lists what starts by itself, before it does. */
export function printPrograms(io: Io, programs: readonly StartingProgram[], heading: string): void {
  if (programs.length === 0) return
  io.err(`${heading}\n`)
  for (const { pack, kind, name, runs } of programs) io.err(`  ${kind} ${name} (${pack}), ${runs}\n`)
}
