import type { ListedOption, OptionList } from './option-list.ts'
import type { TerminalScreen } from './terminal-host.ts'

/** A field: the mark, what says that it is required or filled, its name, and its value. */
const FIELD = /^ {2}[ ❯] . (\S.*?): (.*)$/
/** What explains a field, below it. */
const ABOUT = /^ {8}(\S.*)$/
const BUTTONS = /^ {2}[ ❯] Accept\s+(?:❯ )?Decline\s*$/
const MARK = /^ {2}❯ /
const BOX = /^[☐☒]$/

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
  const [, about] = ABOUT.exec(lines[row + 1] ?? '') ?? []
  const label = about === undefined ? name : `${name}: ${about.trim()}`
  return [{ label, row, ...(BOX.test(value) ? { tick: value === '☒' } : { tick: false, takesText: true as const }) }]
}
