import { sha256 } from '../../core/digest.ts'
import type { AskedSubject } from '../../programs/terminal-profile.ts'
import type { QuestionRow } from './table.ts'

const known = new WeakMap<QuestionRow['question'], string>()

/** The same for questions that are equal to the byte, with their options; none where only a part is known. */
export function identityOf({ by, question }: Pick<QuestionRow, 'by' | 'question'>): string | undefined {
  if (question.cut || question.options.length === 0) return undefined
  const found = known.get(question)
  if (found !== undefined) return found
  const { kind, prompt, text, options, subject } = question
  const identity = sha256(JSON.stringify([by, kind, prompt, text, options, subject]))
  known.set(question, identity)
  return identity
}

/** Subject of a question, as one line of a list. */
export function describeSubject(subject: AskedSubject): string {
  switch (subject.kind) {
    case 'command':
      return subject.folder === undefined ? subject.line : `${subject.line} (in ${subject.folder})`
    case 'fetch':
      return subject.hosts.join(', ')
    case 'tool':
      return `${subject.server}/${subject.tool}`
    default:
      return subject.paths.join(', ')
  }
}
