import type { Output } from '../../src/client/operations.ts'
import { countOf } from '../../src/client/text.ts'
import { type ChangeView, changeActions, comment, draftActions } from './change-actions.ts'
import { fileLines, otherComments, type ShownLine, withSyntax } from './change-lines.ts'
import { isOneOf, type Jump, type Line, type OverviewPage, type Reach, type TablePage, table, text } from './page.ts'
import { toneOf } from './tones.ts'

type ReviewedFile = Omit<ChangeView['changed_files'][number], 'added' | 'removed'> & {
  added?: number
  removed?: number
}
type DiffQuery = { file?: string; since?: number; cursor?: string }

/** Lines of a file that are shown as a text. */
const MAX_TEXT_LINES = 20_000

/** True if a page shows the whole of a change, or what is new since the round before. */
type Part = 'whole' | 'new'

const call = ({ signal }: Reach) => (signal ? { signal } : {})

const readChange = (reach: Reach): Promise<ChangeView> =>
  reach.city.call('GET ~/change/{id}', { params: { id: reach.subject }, ...call(reach) })

const readDiff = (reach: Reach, query: DiffQuery): Promise<Output<'GET ~/change/{id}/diff'>> =>
  reach.city.call('GET ~/change/{id}/diff', { params: { id: reach.subject }, query, ...call(reach) })

const roundBefore = ({ round }: ChangeView, part: Part): number | undefined =>
  part === 'new' ? Math.max(1, round - 1) : undefined

/** Readers of pages for which the look of a person was recorded. */
const looked = new WeakSet<Reach>()

/**
 * Records once for each opening of the page that a person looks at a change. A caller who may only read continues
 * reading.
 */
async function recordLook(reach: Reach, { state, id }: ChangeView): Promise<void> {
  if (state !== 'ready' || looked.has(reach)) return
  looked.add(reach)
  await reach.city.call('POST ~/change/{id}/look', { params: { id } }).catch(() => undefined)
}

const jumps = (files: string): readonly Jump[] => [
  { key: 'n', help: 'next hunk', by: 1, mark: 'hunk' },
  { key: 'p', help: 'previous hunk', by: -1, mark: 'hunk' },
  { key: 'N', help: 'next file', by: 1, panel: files },
  { key: 'P', help: 'previous file', by: -1, panel: files },
]

/** The files of a change, those that deserve attention first. */
const filesPage = (name: string, part: Part): TablePage =>
  table<ReviewedFile>({
    name,
    about: 'change',
    title: part === 'new' ? 'new since last round' : 'files',
    help:
      part === 'new' ? 'the files with something new since the round before' : 'the files of a change, riskiest first',
    empty: part === 'new' ? 'nothing is new since the round before' : 'it changes no files',
    columns: [
      { title: '', width: 1, cell: ({ reasons = [] }) => ({ text: reasons.length > 0 ? '!' : '', tone: 'warning' }) },
      {
        title: 'file',
        width: 16,
        isName: true,
        cell: ({ path, kind }) => ({ text: path, tone: kind === 'deleted' ? 'quiet' : 'plain' }),
      },
      { title: 'lines', width: 9, leaves: 1, cell: (file) => ({ text: linesOf(file), tone: 'quiet' }) },
    ],
    idOf: ({ path }) => path,
    isChangedBy: isOneOf('change.', 'land.'),
    jumps: jumps(name),
    load: async (reach, { cursor }) => {
      const change = await readChange(reach)
      await recordLook(reach, change)
      const since = roundBefore(change, part)
      const actions = changeActions(change, since)
      // What stands above the lines has more room there; without a file there are no lines.
      const head = change.files === 0 ? headOf(change) : []
      if (since === undefined) return { items: change.changed_files, total: change.files, head, actions }
      const { files, cursor: next, commits = [] } = await readDiff(reach, { since, ...(cursor && { cursor }) })
      const reasons = new Map(change.changed_files.map((file) => [file.path, file.reasons]))
      const items = files.map((file) => ({ ...file, ...countOfLines(file), reasons: reasons.get(file.path) ?? [] }))
      return { items, next, head: [...head, { text: newCommits(commits) }], actions }
    },
  })

const linesOf = ({ added, removed, folded }: ReviewedFile): string =>
  added === undefined ? (folded ?? '') : `+${added} -${removed ?? 0}`

const countOfLines = ({ hunks }: Output<'GET ~/change/{id}/diff'>['files'][number]) => {
  const lines = hunks.flatMap((hunk) => hunk.lines)
  const count = (kind: string) => lines.filter((line) => line.kind === kind).length
  return { added: count('+'), removed: count('-') }
}

function newCommits(commits: readonly { state: string }[]): string {
  const counts = Map.groupBy(commits, ({ state }) => state)
  const parts = ['new', 'changed', 'gone'].flatMap((state) => {
    const count = counts.get(state)?.length ?? 0
    return count === 0 ? [] : `${count} ${state}`
  })
  return parts.length === 0 ? 'the same commits' : `commits: ${parts.join(', ')}`
}

/** The title of a change, and how it stands. */
function headOf({ id, title, state, round, files, added, removed, agent, reason, checks }: ChangeView): Line[] {
  const verdict = checks === undefined ? '' : `check ${checks}`
  return [
    { text: `${title ?? id} · ${agent}`, tone: 'strong' },
    {
      text: [state, verdict, `round ${round}`, countOf(files, 'file'), `+${added} -${removed}`, reason]
        .filter(Boolean)
        .join(' · '),
      tone: toneOf(checks === 'red' ? checks : state),
    },
  ]
}

/** The lines of the file that is selected. */
const linesPage = (name: string, files: string, part: Part): TablePage =>
  table<ShownLine & { path: string; change: ChangeView; commits: Record<'old' | 'new', string> }>({
    name,
    about: 'change',
    title: 'diff',
    help: part === 'new' ? 'what is new in one of its files' : 'what changes in one of its files',
    empty: 'none of its lines differ',
    detailLines: 4,
    columns: [
      {
        title: ' line',
        width: 5,
        leaves: 1,
        cell: ({ number }) => ({ text: number === undefined ? '' : String(number).padStart(5), tone: 'quiet' }),
      },
      {
        title: '',
        width: 30,
        grows: true,
        cell: ({ text: line, tone, marks, syntax }) => ({ text: line, tone, marks, syntax }),
      },
    ],
    idOf: ({ id }) => id,
    markOf: ({ isStart }) => (isStart ? 'hunk' : undefined),
    isChangedBy: isOneOf('change.'),
    jumps: jumps(files),
    opens: ({ id, path, change: { id: subject } }, city) => ({
      page: 'change-text',
      city,
      subject,
      at: { entry: path, text: id },
    }),
    load: async (reach, { cursor }) => {
      const path = reach.at?.entry
      if (path === undefined) return { items: [] }
      const change = await readChange(reach)
      const since = roundBefore(change, part)
      const diff = await readDiff(reach, {
        file: path,
        ...(since !== undefined && { since }),
        ...(cursor && { cursor }),
      })
      const plain = diff.files.flatMap((file) => fileLines(file, change.comments))
      const lines = await withSyntax(reach, path, plain)
      const others = diff.cursor === undefined ? otherComments(namesOf(path, change), change.comments, lines) : []
      const commits = { old: change.base, new: change.head }
      const items = [...lines, ...others].map((line) => ({ ...line, path, change, commits }))
      const head = [...headOf(change), ...fileHead(path, change)]
      return { items, next: diff.cursor, head, actions: changeActions(change, since) }
    },
    actionsOf: ({ path, change, line, comment: about, commits }) => {
      if (about) return draftActions(change.id, about)
      if (!line) return []
      const side = line.new === undefined ? 'old' : 'new'
      // A line of an earlier round is in none of the two commits.
      if (part === 'new' && side === 'old') return []
      const number = line.new ?? line.old ?? 1
      return [comment(change.id, { path: sidePath(path, side, change), side, line: number, commit: commits[side] })]
    },
  })

/** The path of a file, and the one before the change where that differs. */
const namesOf = (path: string, { changed_files: files }: ChangeView): string[] => [
  path,
  ...files.flatMap((file) => (file.path === path ? (file.old_path ?? []) : [])),
]

/** The path of a file before or after a change. */
const sidePath = (path: string, side: 'old' | 'new', change: ChangeView): string =>
  (side === 'old' ? namesOf(path, change).at(-1) : path) ?? path

/** The name of a file, and why it deserves attention. */
function fileHead(path: string, { changed_files: files }: ChangeView): Line[] {
  const reasons = files.find((file) => file.path === path)?.reasons ?? []
  return [
    { text: path, tone: 'strong' },
    ...(reasons.length === 0
      ? []
      : [{ text: `${reasons.map((reason) => `It ${reason}.`).join(' ')}`, tone: 'warning' as const }]),
  ]
}

/** A change with its files on the left and the lines of the selected one on the right. */
const changeOverview = (name: string, part: Part, [files, lines]: readonly [string, string]): OverviewPage => ({
  kind: 'overview',
  name,
  about: 'change',
  takes: 'the id of a change',
  title: part === 'new' ? 'new in a change' : 'change',
  help:
    part === 'new' ? 'what is new in a change since the round before' : 'a change: its files beside their differences',
  isChangedBy: () => false,
  bands: [{ panels: [files, lines], share: 1, widths: [1, 3] }],
  detail: { panel: lines, of: files },
})

/** The lines of a file as a text, where none of them is cut. */
const changeTextPage = text({
  name: 'change-text',
  about: 'change',
  title: 'file of a change',
  help: 'the differences of a file, with long lines whole',
  isChangedBy: isOneOf('change.'),
  load: async (reach) => {
    const path = reach.at?.entry ?? ''
    const change = await readChange(reach)
    const lines: ShownLine[] = []
    let cursor: string | undefined
    do {
      const diff = await readDiff(reach, { file: path, ...(cursor !== undefined && { cursor }) })
      for (const file of diff.files) lines.push(...fileLines(file, change.comments))
      cursor = diff.cursor
    } while (cursor !== undefined && lines.length < MAX_TEXT_LINES)
    lines.push(...otherComments(namesOf(path, change), change.comments, lines))
    const coloured = await withSyntax(reach, path, lines)
    const first = lines.findIndex(({ id }) => id === reach.at?.text)
    return {
      head: fileHead(path, change),
      lines: [
        ...coloured.map(
          ({ number, text: words, tone, syntax }): Line => ({
            text: `${String(number ?? '').padStart(5)} ${words}`,
            tone,
            hang: 7,
            syntax: syntax?.map(([from, to, each]) => [from + 6, to + 6, each]),
          }),
        ),
        ...(cursor === undefined
          ? []
          : [{ text: 'The file has more lines than are shown here.', tone: 'warning' as const }]),
      ],
      ...(first > 0 && { first }),
      actions: changeActions(change, undefined),
    }
  },
})

export const changePages = [
  changeOverview('change', 'whole', ['change-files', 'change-lines']),
  filesPage('change-files', 'whole'),
  linesPage('change-lines', 'change-files', 'whole'),
  changeOverview('change-new', 'new', ['new-files', 'new-lines']),
  filesPage('new-files', 'new'),
  linesPage('new-lines', 'new-files', 'new'),
  changeTextPage,
]
