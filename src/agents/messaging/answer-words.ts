import type { QuestionOption } from '../../host/protocol/question.ts'
import { actionsFor, optionFor } from '../conversations/acp/questions.ts'
import type { QuestionRow } from '../questions/table.ts'

/** The words that people are offered as answers: of an agent what they mean, of a screen its numbers. */
export const answersTo = ({ by, question: { options } }: QuestionRow): string[] =>
  by === 'agent' ? actionsFor(options) : options.map(({ id }) => id)

/** The option that an answer selects: by its id, its label with or without what explains it, its place in the list, or a word such as `deny`. */
export function selectOption(answer: string, row: QuestionRow): QuestionOption {
  const { options } = row.question
  const words = answer.trim()
  const isNamed = ({ label }: QuestionOption) => {
    const [name, whole] = [label.split(': ')[0], label].map((text = '') => text.toLowerCase())
    return name === words.toLowerCase() || whole === words.toLowerCase()
  }
  const own = options.find(({ id }) => id === words) ?? options.find(isNamed)
  const numbered = /^\d{1,4}$/.test(words) ? options[Number(words) - 1] : undefined
  return own ?? numbered ?? optionFor(words.toLowerCase(), options, answersTo(row))
}
