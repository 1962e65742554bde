import type { LandConfig } from '../../config/land/index.ts'
import { shellQuote } from '../../core/text/index.ts'
import { quoteData } from '../turns/index.ts'
import type { ConflictedFile } from '../yard/index.ts'
import type { Author, LandingRow, LetterRow } from './table.ts'

/** The refs of a letter in the repository of its owner. */
export const BASE_REF = 'refs/gc/base'
export const CANDIDATE_REF = 'refs/gc/candidate'

const MAX_LINES = 200
const MAX_LINE = 400
const MAX_OUTPUT = 8 * 1024
const MAX_FILES = 50
const MAX_AUTHORS_SHOWN = 20

type Addressed = Pick<LandingRow, 'id' | 'branch' | 'head' | 'bead' | 'target'>
type Rules = Pick<LandConfig, 'check' | 'tries'>

/** The letter to the owner of a branch that does not land. What is quoted is data of others. */
export function renderLetter(row: Addressed, letter: LetterRow, rules: Rules): string {
  const parts = letter.kind === 'conflict' ? conflictParts(row, letter, rules) : redParts(row, letter, rules)
  return [...parts, closing(row, letter), `(Landing ${letter.mark})`].join('\n\n')
}

/** The letter for a bead that another session has to take up. */
export function renderLetterNotes(row: Addressed, letter: LetterRow, rules: Rules): string {
  const start = `## Landing ${letter.mark} of ${row.id}\n\nThe work so far is commit ${row.head}; start from it.`
  return `${start}\n\n${renderLetter(row, letter, rules)}`
}

function conflictParts(row: Addressed, letter: LetterRow, { check, tries }: Rules): string[] {
  const { base, details, mark } = letter
  const { target = base, start, files = [], changedBy = [] } = details
  const { output, reason = '' } = details
  const failed =
    output !== undefined && `The command for generated files failed: ${reason}\n${output.slice(-MAX_OUTPUT)}`
  const data = [describeFiles(files), describeAuthors(changedBy), failed].filter(Boolean).join('\n\n')
  return [
    `${subject(row)} conflicts with ${word(row.target)}, so it did not land: ${which(row, letter, tries)}.`,
    [
      start === undefined ? undefined : `You started from ${start}.`,
      `${word(row.target)} is at ${target} now, and your branch at ${row.head}.`,
      'gc changed nothing in your folder, and no merge is in progress there.',
    ]
      .filter(Boolean)
      .join(' '),
    quoteData(data, 'both branches', mark),
    commands([
      `git checkout -q ${argument(row.branch)}`,
      `GIT_EDITOR=true git merge --no-edit ${BASE_REF}`,
      `git diff HEAD...${BASE_REF}   # all that ${word(row.target)} changed since`,
    ]),
    `Resolve what git lists as conflicts, and keep the intent of both sides. Then:`,
    commands(['git add -A', 'GIT_EDITOR=true git commit --no-edit', ...checkOf(check)]),
  ]
}

function redParts(row: Addressed, letter: LetterRow, { check, tries }: Rules): string[] {
  const { base, candidate, details, mark } = letter
  const { output = '', reason = '', green = base } = details
  return [
    `${subject(row)} merges into ${word(row.target)}, but fails there, so it did not land: ${which(row, letter, tries)}.`,
    [
      `It passes at ${green}, without your branch, and fails at ${candidate}, with it (your head is ${row.head}).`,
      'gc changed nothing in your folder.',
    ].join(' '),
    quoteData(`${reason}\n${output.slice(-MAX_OUTPUT)}`.trim(), 'the check', mark),
    'This is how it fails, and what your branch adds there:',
    commands([
      `git checkout -q --detach ${CANDIDATE_REF}`,
      ...checkOf(check),
      `git diff ${CANDIDATE_REF}^ ${CANDIDATE_REF}`,
      `git checkout -q ${argument(row.branch)}`,
    ]),
    `Fix it on ${word(row.branch)} and commit that. If the cause is what ${word(row.target)} has now, merge that first:`,
    commands([`GIT_EDITOR=true git merge --no-edit ${BASE_REF}`]),
  ]
}

const subject = ({ branch }: Addressed): string => `Your branch ${word(branch)}`

const which = ({ id, bead }: Addressed, letter: LetterRow, tries: number): string =>
  `landing ${id}, try ${letter.try} of ${tries}${bead === null ? '' : `, bead ${word(bead)}`}`

function closing({ id, bead }: Addressed, { kind }: LetterRow): string {
  const work = bead === null ? '' : ` --bead ${argument(bead)}`
  const done = kind === 'conflict' ? 'the merge is committed' : 'the fix is committed'
  return [
    `You are done once ${done} and this accepts it; it keeps its place in the queue:`,
    commands([`gc land submit${work}`]),
    'If it cannot land, say why, and it is taken out of the queue:',
    commands([`gc land give-up ${id} --reason '<text>'`]),
  ].join('\n\n')
}

const checkOf = (check: readonly string[] | undefined): string[] =>
  check === undefined ? [] : [check.map(argument).join(' ')]

const commands = (lines: readonly string[]): string => lines.map((line) => `    ${line}`).join('\n')

/** A word of a command. */
const argument = (text: string): string => (/^[\w./@+=:,-]+$/.test(text) ? text : shellQuote(text))

/** A name for a sentence: one that is not plain is quoted. */
const word = (name: string): string => (/^[\w./@+-]{1,200}$/.test(name) ? name : JSON.stringify(name.slice(0, 200)))

/** The two sides of each conflict and their ancestor, as far as that fits. */
function describeFiles(files: readonly ConflictedFile[]): string {
  let left = MAX_LINES
  /** One side gets an equal share of what is left for it and the sides behind it. */
  const take = (label: string, text: string, sides: number): string[] => {
    const lines = text.split('\n')
    if (lines.at(-1) === '') lines.pop()
    const shown = lines.slice(0, Math.ceil(left / sides)).map((line) => `    ${cut(line)}`)
    left -= shown.length
    const more = lines.length - shown.length
    return [`  ${label}:`, ...shown, ...(more > 0 ? [`    (${more} more lines)`] : [])]
  }
  const shown = files.slice(0, MAX_FILES).map(({ path, kind, hunks }, at) => {
    const lines = hunks.flatMap(({ ours, ancestor, theirs }) =>
      left <= 0
        ? ['  (more; see git diff)']
        : [...take('yours', theirs, 3), ...take('theirs', ours, 2), ...take('before both', ancestor, 1)],
    )
    return [`${at + 1}. ${JSON.stringify(path)} (${kind})`, ...lines].join('\n')
  })
  const more = files.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more files`] : [])].join('\n')
}

const cut = (line: string): string => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line)

function describeAuthors(authors: readonly Author[]): string {
  if (authors.length === 0) return ''
  const lines = authors.slice(0, MAX_AUTHORS_SHOWN).map(({ path, commit, name, subject: title, ...from }) => {
    const { landing, bead, session } = from
    const known = [landing && `landing ${landing}`, bead && `bead ${bead}`, session && `session ${session}`]
    const whose = known.filter(Boolean).join(', ') || cut(name)
    return `  ${JSON.stringify(path)}: ${commit.slice(0, 12)} ${cut(title)} (${whose})`
  })
  return ['Theirs was changed by:', ...lines].join('\n')
}
