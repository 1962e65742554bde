import { invalidField } from '../../core/errors.ts'
import { findChoices, joinOptions, nameChoices, type QuestionOption } from '../../host/protocol/index.ts'
import { actionsFor, optionFor } from '../conversations/index.ts'
import type { QuestionRow } from '../questions/index.ts'

/** Options that an answer selects: one, or several boxes. */
export type Selection = QuestionOption & { options: readonly QuestionOption[] }

/** Answers to offer: the meanings of an agent's choices, else numbers, those of the program first. */
export function answersTo({ by, question: { options } }: QuestionRow): string[] {
  if (by === 'agent' && !options.some(({ ticks }) => ticks)) return actionsFor(options)
  let last = Math.max(0, ...options.flatMap(({ id }) => (NUMBER.test(id) ? [Number(id)] : [])))
  return options.map(({ id }) => (NUMBER.test(id) ? id : String(++last)))
}

const NUMBER = /^\d{1,4}$/

/** Options that an answer selects: one option, or boxes to tick, separated by commas. */
export function selectOptions(answer: string, row: QuestionRow): Selection {
  const names = answer.split(',').filter((name) => name.trim() !== '')
  const areBoxes = names.length > 1 && row.question.options.some(({ ticks }) => ticks)
  if (!areBoxes || findOption(answer.trim(), row)) {
    const option = selectOption(answer, row)
    return { ...option, options: [option] }
  }
  const named = names.map((name) => selectOption(name, row))
  const other = named.find(({ ticks }) => !ticks)
  if (other) throw invalidField('body.answer', `"${other.label}" is an answer of its own; name it alone`)
  const options = row.question.options.filter(({ id }) => named.some((option) => option.id === id))
  const label = options.map((option) => option.label).join(', ')
  return { id: joinOptions(options.map(({ id }) => id)), label, role: 'other', options }
}

/** The option that an answer selects: by its id, its label with or without what explains it, its place in the list, or a word such as `deny`. */
export function selectOption(answer: string, row: QuestionRow): QuestionOption {
  const words = answer.trim()
  return findOption(words, row) ?? optionFor(words.toLowerCase(), row.question.options, answersTo(row))
}

/** The text of an answer, a line for each of its options that take one; those of lists in the words of their choices. */
export function textFor(options: readonly QuestionOption[], text: string): string {
  const fields = options.filter((option) => option.text !== undefined)
  const lines = text.split('\n').map((line, index) => {
    const field = fields[index]
    if (!field?.choices) return line
    const places = findChoices(line, field)
    if (!places) throw notListed(line, field)
    return nameChoices(places, field)
  })
  return lines.join('\n')
}

const notListed = (text: string, { label, choices = [], several }: QuestionOption) =>
  invalidField(
    'body.text',
    `"${text}" is not in the list of "${label}"; name ${several ? 'any of it' : 'one'}, by number or in words: ${choices.map((choice, index) => `${index + 1} ${choice}`).join(', ')}`,
  )

function findOption(words: string, row: QuestionRow): QuestionOption | undefined {
  const { options } = row.question
  const isNamed = ({ label }: QuestionOption) => {
    const [name, whole] = [label.split(': ')[0], label].map((text = '') => text.toLowerCase())
    return name === words.toLowerCase() || whole === words.toLowerCase()
  }
  const own = options.find(({ id }) => id === words) ?? options.find(isNamed)
  if (own || !NUMBER.test(words)) return own
  const offered = answersTo(row).indexOf(words)
  return row.by === 'screen' || offered >= 0 ? options[offered] : options[Number(words) - 1]
}
