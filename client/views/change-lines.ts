import { expandTabs } from '../../src/client/diff.ts'
import type { Output } from '../../src/client/operations.ts'
import { showHidden } from '../../src/client/text.ts'
import type { ChangeComment } from './change-actions.ts'
import type { Reach, SyntaxRange } from './page.ts'
import { type CodeLine, readSyntax } from './syntax.ts'
import type { Tone } from './tones.ts'

type Diff = Output<'GET ~/change/{id}/diff'>
type DiffFile = Diff['files'][number]
type DiffLine = DiffFile['hunks'][number]['lines'][number]

/** A line of the diff of a file as it is shown: also headings of hunks, comments, and remarks. */
export interface ShownLine {
  readonly id: string
  readonly kind: 'hunk' | 'line' | 'comment' | 'remark'
  readonly number: number | undefined
  readonly text: string
  readonly tone: Tone
  /** The words that changed. */
  readonly marks?: readonly (readonly number[])[]
  readonly syntax?: readonly SyntaxRange[] | undefined
  readonly line?: DiffLine
  /** True if it is the first line of a hunk that differs. */
  readonly isStart?: boolean
  readonly comment?: ChangeComment
}

/** The lines of a file with the comments on them. */
export function fileLines(file: DiffFile, comments: readonly ChangeComment[]): ShownLine[] {
  const lines = file.hunks.flatMap((hunk): ShownLine[] => {
    const heading: ShownLine = {
      ...{ id: `@${hunk.old_start},${hunk.new_start}`, kind: 'hunk', number: undefined, tone: 'busy' },
      text: `@@ ${hunk.old_start} → ${hunk.new_start} @@ ${hunk.heading ?? ''}`.trimEnd(),
    }
    const start = hunk.continued ? undefined : hunk.lines.find(({ kind }) => kind !== ' ')
    const shown = hunk.lines.flatMap((line): ShownLine[] => {
      const about = comments.filter((each) => isOn(each, file, line))
      return [{ ...diffLine(line), isStart: line === start }, ...about.flatMap((each) => commentLines(each))]
    })
    return hunk.continued ? shown : [heading, ...shown]
  })
  return [...remarksOn(file), ...lines]
}

/** The same lines with their syntax, as far as it is known in time. */
export async function withSyntax(
  reach: Reach,
  path: string,
  lines: readonly ShownLine[],
): Promise<readonly ShownLine[]> {
  let hunk = 0
  const code = lines.map(({ kind, line }): CodeLine | undefined => {
    if (kind === 'hunk') hunk++
    const side = line?.kind === '+' ? 'new' : line?.kind === '-' ? 'old' : 'both'
    return line && { path, side, code: shown(line.text), hunk }
  })
  const found = await readSyntax(reach, code)
  // The sign of a line stands before its code.
  const moved = found.map((ranges) => ranges.map(([from, to, tone]): SyntaxRange => [from + 1, to + 1, tone]))
  return lines.map((line, at) => ((moved[at]?.length ?? 0) > 0 ? { ...line, syntax: moved[at] } : line))
}

/** Comments on a file that are on no line of its diff: outdated, or on lines that are not shown. */
export function otherComments(
  names: readonly string[],
  comments: readonly ChangeComment[],
  shown: readonly ShownLine[],
): ShownLine[] {
  const placed = new Set(shown.flatMap(({ comment }) => comment?.n ?? []))
  return comments
    .filter((each) => names.includes(each.at?.path ?? each.path) && !placed.has(each.n))
    .flatMap((each) => commentLines(each, each.at ? `on line ${each.at.end_line}` : ''))
}

function isOn({ at, side }: ChangeComment, { path, old_path: before = path }: DiffFile, line: DiffLine): boolean {
  if (side === 'new') return at?.path === path && line.new === at.end_line
  return at?.path === before && line.kind !== '+' && line.old === at.end_line
}

function diffLine(line: DiffLine): ShownLine {
  const { kind, text, old, new: after, moved, bytes, no_newline: isOpen, words } = line
  const marks = words?.map((range) => range.map((at) => 1 + shown(text.slice(0, at)).length))
  const tone = kind === ' ' ? 'plain' : moved ? 'quiet' : kind === '+' ? 'good' : 'bad'
  const ending = text.endsWith('\r') ? '␍' : ''
  const more = [
    bytes === undefined ? '' : ` … ${bytes} bytes`,
    moved ? '  (moved)' : '',
    isOpen ? '  (no newline at the end)' : '',
  ]
  return {
    ...{
      id: after === undefined ? `old line ${old}` : `line ${after}`,
      kind: 'line',
      number: after ?? old,
      tone,
      line,
      ...(marks && { marks }),
    },
    text: `${kind}${shown(ending ? text.slice(0, -1) : text)}${ending}${more.join('')}`,
  }
}

/** Code unchanged: escape sequences and other hidden characters are part of it, and are shown. */
const shown = (code: string): string => showHidden(expandTabs(code))

function commentLines(comment: ChangeComment, where = ''): ShownLine[] {
  const { n, person, state, text, reply, replied_by: by } = comment
  const facts = [state === 'open' ? '' : state, where].filter(Boolean).join(', ')
  const said = [`» ${person}${facts && ` (${facts})`}: ${text}`]
  const answer = reply === undefined ? [] : [`» ${by ?? 'its session'}: ${reply}`]
  return [...said, ...answer].flatMap((words, at) =>
    words.split(/\r?\n/).map(
      (line, index): ShownLine => ({
        ...{ id: `c${n}.${at}.${index}`, kind: 'comment', number: undefined, comment },
        tone: state === 'draft' ? 'warning' : 'strong',
        text: index === 0 ? line : `  ${line}`,
      }),
    ),
  )
}

/** Remarks on a file that say more than its lines. */
function remarksOn(file: DiffFile): ShownLine[] {
  if (file.continued) return []
  const { kind, old_path: before, old_mode: oldMode, mode, folded, size, old_size: oldSize } = file
  const bytes = [oldSize, size].flatMap((each) => (each === undefined ? [] : `${each} bytes`)).join(' → ')
  const remarks = [
    before === undefined ? '' : `${kind === 'copied' ? 'copied' : 'renamed'} from ${before}`,
    kind === 'added' ? 'new file' : kind === 'deleted' ? 'deleted' : '',
    oldMode !== undefined && mode !== undefined && oldMode !== mode ? `mode ${oldMode} → ${mode}` : '',
    mode === '100755' && oldMode === undefined ? 'executable' : '',
    kind === 'symlink' ? 'a link' : kind === 'submodule' ? 'a submodule' : '',
    folded === 'binary' ? `a binary file, ${bytes}` : folded === 'large' ? `too large to show, ${bytes}` : '',
    folded === 'lock' ? 'a lock file' : folded === 'generated' ? 'generated by a tool' : '',
  ].filter(Boolean)
  if (remarks.length === 0) return []
  return [{ id: 'remarks', kind: 'remark', number: undefined, tone: 'strong', text: remarks.join(' · ') }]
}
