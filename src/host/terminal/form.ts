import type { FieldList, ListedOption, OptionList } from './option-list.ts'
import type { TerminalScreen } from './terminal-host.ts'

/** A field: the mark, what says that it is required or filled, its name, and its value. */
const FIELD = /^ {2}[ ❯] . (\S.*?): (.*)$/
/** A choice of the field above, whose list is open: the mark, whether it is taken, and its words. */
const CHOICE = /^ {8}([ ❯]) ([◯◉☐☒]) (\S.*)$/
/** Explanation of a field, below it and its choices. */
const ABOUT = /^ {8}(\S.*)$/
const BUTTONS = /^ {2}[ ❯] Accept\s+(?:❯ )?Decline\s*$/
const MARK = /^ {2}❯ /
const BOX = /^[☐☒]$/
/** Before the value of a field with a list, where the mark stands; without a value, its list is open. */
const LIST = /^[▸▾]\s*(.*)$/

/** A form of Claude Code for a server: its fields, below them what sends it, and beside that what declines it. */
export function findForm({ lines }: TerminalScreen): OptionList | undefined {
  const end = lines.findLastIndex((line) => BUTTONS.test(line))
  if (end < 0) return undefined
  const top = lines.slice(0, end).findLastIndex((line) => /^\S/.test(line))
  const fields = lines.flatMap((line, row) => (row > top && row < end ? fieldOf(lines, line, row) : []))
  const numbered = fields.map((field, index) => ({ ...field, id: String(index + 1) }))
  const buttons = ['Accept', 'Decline'].map((label) => ({ id: label, label, row: end }))
  const options = [...numbered, ...buttons]
  const marked = lines.slice(0, end + 1).findLastIndex((line) => MARK.test(line))
  const isDeclining = /❯ Decline/.test(lines[end] ?? '')
  const at = isDeclining ? options.length - 1 : options.findIndex(({ row }) => row === marked)
  return at < 0 ? undefined : { options, at, isPart: false }
}

function fieldOf(lines: readonly string[], line: string, row: number): Omit<ListedOption, 'id'>[] {
  const [, name, value = ''] = FIELD.exec(line) ?? []
  if (name === undefined) return []
  const list = listOf(lines, row, value.trim())
  const [, about] = ABOUT.exec(lines[row + 1 + (list?.choices.length ?? 0)] ?? '') ?? []
  const label = about === undefined ? name : `${name}: ${about.trim()}`
  if (BOX.test(value)) return [{ label, row, tick: value === '☒' }]
  return [{ label, row, tick: false, takesText: true as const, ...(list && { list }) }]
}

/** The list of a field that the mark stands at, with its choices when it is open. */
function listOf(lines: readonly string[], row: number, shown: string): FieldList | undefined {
  const [, value] = LIST.exec(shown) ?? []
  if (value === undefined) return undefined
  const rows = lines.slice(row + 1).map((line) => CHOICE.exec(line))
  const open = rows.slice(0, Math.max(0, rows.indexOf(null))).flatMap((found) => (found ? [found] : []))
  return {
    value,
    choices: open.map(([, , box = '', label = '']) => ({ label: label.trim(), isTaken: box === '◉' || box === '☒' })),
    at: open.findIndex(([, mark]) => mark === '❯'),
    several: open.some(([, , box = '']) => BOX.test(box)),
  }
}
