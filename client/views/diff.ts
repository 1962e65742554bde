import { changedLines, expandTabs, toneOfDiffLine } from '../../src/client/diff.ts'
import type { Output } from '../../src/client/operations.ts'
import { copy } from './copy.ts'
import { isOneOf, type Line, type Reach, type SyntaxRange, text } from './page.ts'
import { type CodeLine, readSyntax } from './syntax.ts'

type Changes = Output<'GET ~/worktree/{session}/diff'>

/** Changes of a session in its worktree: commits, files, and the diff. */
export const diffPage = text({
  name: 'diff',
  about: 'worktree',
  title: 'diff',
  help: 'what a session changed in its worktree',
  isChangedBy: isOneOf('session.', 'worker.operation', 'bead.'),
  load: async (reach) => {
    const { city, subject: session, signal } = reach
    const call = { params: { session }, ...(signal && { signal }) }
    const changes = await city.call('GET ~/worktree/{session}/diff', call)
    const { branch, base, path } = changes
    return {
      head: [{ text: `${branch} · since ${base} · ${path}`, tone: 'strong' }],
      lines: await diffLines(reach, changes),
      actions: [
        copy('y', 'copy', 'its folder', path),
        copy('b', 'copy-branch', 'its branch', branch),
        copy('P', 'copy-diff', 'the diff', changes.patch),
      ],
    }
  },
})

async function diffLines(
  reach: Reach,
  { commits, files, files_total: total, patch, cut, path }: Changes,
): Promise<Line[]> {
  if (total === 0 && commits.length === 0) return [{ text: 'Nothing was changed yet.', tone: 'quiet' }]
  const missing = total - files.length
  return [
    ...commits.map(({ id, subject }): Line => ({ text: `${id}  ${subject}`, tone: 'quiet' })),
    ...(commits.length > 0 ? [{ text: '' }] : []),
    ...files.map((file): Line => ({ text: `${changedLines(file).padEnd(12)} ${file.path}` })),
    ...(missing > 0 ? [{ text: `and ${missing} more files`, tone: 'quiet' as const }] : []),
    { text: '' },
    ...(await patchLines(reach, patch)),
    ...(cut ? [{ text: `The diff is cut here: read all of it in ${path}.`, tone: 'warning' as const }] : []),
  ]
}

/** The lines of a patch, with the syntax of their files. */
async function patchLines(reach: Reach, patch: string): Promise<Line[]> {
  const lines = patch.split(/\r?\n/).map(expandTabs)
  const found = await readSyntax(reach, codeLines(lines))
  return lines.map((line, at): Line => {
    const syntax = found[at]?.map(([from, to, tone]): SyntaxRange => [from + 1, to + 1, tone]) ?? []
    return { text: line, tone: toneOfDiffLine(line), hang: 2, ...(syntax.length > 0 && { syntax }) }
  })
}

/** Code of a patch: the lines below the heading of a hunk, up to the next file. */
function codeLines(lines: readonly string[]): (CodeLine | undefined)[] {
  let path = ''
  let hunk = 0
  let isInHunk = false
  return lines.map((line) => {
    if (line.startsWith('diff ')) isInHunk = false
    if (!isInHunk) path = /^\+\+\+ b\/(.*)$/.exec(line)?.[1] ?? (/^--- a\/(.*)$/.exec(line)?.[1] || path)
    if (!line.startsWith('@@')) {
      const side = line.startsWith('+') ? 'new' : line.startsWith('-') ? 'old' : 'both'
      return isInHunk && !line.startsWith('\\') ? { path, side, code: line.slice(1), hunk } : undefined
    }
    isInHunk = true
    hunk++
    return undefined
  })
}
