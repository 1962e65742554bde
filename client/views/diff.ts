import { changedLines, expandTabs, toneOfDiffLine } from '../../src/client/diff.ts'
import type { Output } from '../../src/client/operations.ts'
import { copy } from './copy.ts'
import { isOneOf, type Line, text } from './page.ts'

type Changes = Output<'GET ~/worktree/{session}/diff'>

/** What a session changed in its worktree: commits, files, and the diff. */
export const diffPage = text({
  name: 'diff',
  about: 'worktree',
  title: 'diff',
  help: 'what a session changed in its worktree',
  isChangedBy: isOneOf('session.', 'worker.operation', 'bead.'),
  load: async ({ city, subject: session, signal }) => {
    const call = { params: { session }, ...(signal && { signal }) }
    const changes = await city.call('GET ~/worktree/{session}/diff', call)
    const { branch, base, path } = changes
    return {
      head: [{ text: `${branch} · since ${base} · ${path}`, tone: 'strong' }],
      lines: diffLines(changes),
      actions: [
        copy('y', 'copy', 'its folder', path),
        copy('b', 'copy-branch', 'its branch', branch),
        copy('P', 'copy-diff', 'the diff', changes.patch),
      ],
    }
  },
})

function diffLines({ commits, files, files_total: total, patch, cut, path }: Changes): Line[] {
  if (total === 0 && commits.length === 0) return [{ text: 'Nothing was changed yet.', tone: 'quiet' }]
  const missing = total - files.length
  return [
    ...commits.map(({ id, subject }): Line => ({ text: `${id}  ${subject}`, tone: 'quiet' })),
    ...(commits.length > 0 ? [{ text: '' }] : []),
    ...files.map((file): Line => ({ text: `${changedLines(file).padEnd(12)} ${file.path}` })),
    ...(missing > 0 ? [{ text: `and ${missing} more files`, tone: 'quiet' as const }] : []),
    { text: '' },
    ...patch.split(/\r?\n/).map((line): Line => ({ text: expandTabs(line), tone: toneOfDiffLine(line), hang: 2 })),
    ...(cut ? [{ text: `The diff goes on: see it whole in ${path}.`, tone: 'warning' as const }] : []),
  ]
}
