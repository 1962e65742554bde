import { quoteData } from '../turns/index.ts'
import type { AskRow, ChangeRow, CommentRow } from './table.ts'

/** Maximum size of a turn in bytes: what people write, and the code that they quote. */
export const MAX_TURN = 64 * 1024

type Asked = Pick<ChangeRow, 'id' | 'branch' | 'bead'>

/** The turn that asks the session of a change for changes. What is quoted is data of agents, what people wrote is not. */
export function renderTurn(
  change: Asked,
  { mark, text }: Pick<AskRow, 'mark' | 'text'>,
  comments: readonly CommentRow[],
) {
  return [
    `A person reviewed your change ${change.id} and asks for changes.`,
    text.trim(),
    ...comments.map((comment) => describe(comment, mark)),
    closing(change, comments),
    `(Review ${mark})`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

function closing({ id, branch, bead }: Asked, comments: readonly CommentRow[]): string {
  const where = branch === null ? 'where you worked before' : `on branch ${branch}`
  const first = `Make the changes ${where} and commit them${bead === null ? '' : `; they belong to bead ${bead}`}.`
  const command = (n: number | string) => `gc review reply ${id} ${n} --text "<what you did>"`
  if (comments.length === 0) return first
  const [only] = comments
  const one =
    comments.length === 1 && only
      ? `the comment with \`${command(only.n)}\``
      : `each comment with \`${command('<n>')}\``
  return `${first} Then answer ${one}: this shows that you are done.`
}

function describe({ n, path, side, line, endLine, quoted, text }: CommentRow, mark: string): string {
  const lines = line === endLine ? `line ${line}` : `lines ${line}-${endLine}`
  const place = `${JSON.stringify(path)}, ${lines} ${side === 'old' ? 'before the change' : 'of the change'}`
  return `Comment ${n}:\n${quoteData(`${place}:\n${quoted}`, 'the commit', `${mark}-${n}`)}\n${text.trim()}`
}

/** The notes for a bead that another session has to take up. */
export function renderNotes(change: ChangeRow, ask: AskRow, comments: readonly CommentRow[]): string {
  const { id, branch, head, round } = change
  const from = branch === null ? `commit ${head}` : `branch ${branch}, commit ${head}`
  const parts = comments.map((comment) => describe(comment, ask.mark))
  const start = `## Review ${ask.mark} of ${id}, round ${round}\n\nThe work so far is on ${from}; start from it.`
  return [start, ask.text.trim(), ...parts, closing(change, comments)].filter(Boolean).join('\n\n')
}
