import { invalidField } from '../../core/errors.ts'
import { joinOptions, type QuestionOption } from '../../host/protocol/question.ts'
import { actionsFor, optionFor } from '../conversations/acp/questions.ts'
import type { QuestionRow } from '../questions/table.ts'

/** What an answer takes: an option, or several boxes, named together. */
export type Selection = QuestionOption & { options: readonly QuestionOption[] }

/** The words that people are offered as answers: of an agent what they mean, of a screen its numbers. */
export const answersTo = ({ by, question: { options } }: QuestionRow): string[] =>
  by === 'agent' ? actionsFor(options) : options.map(({ id }) => id)

/** What an answer selects: one option, or boxes to tick, separated by commas. */
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

function findOption(words: string, { question: { options } }: QuestionRow): QuestionOption | undefined {
  const isNamed = ({ label }: QuestionOption) => {
    const [name, whole] = [label.split(': ')[0], label].map((text = '') => text.toLowerCase())
    return name === words.toLowerCase() || whole === words.toLowerCase()
  }
  const own = options.find(({ id }) => id === words) ?? options.find(isNamed)
  const numbered = /^\d{1,4}$/.test(words) ? options[Number(words) - 1] : undefined
  return own ?? numbered
}
