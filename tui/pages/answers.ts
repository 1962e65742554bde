import type { AttentionItem } from '../../src/agents/attention/schema.ts'
import type { Action, Reach } from './page.ts'

/** The answers of a question: by number, or in words. */
export function answersOf({ id, answers, options = [], session_id: session }: AttentionItem): Action[] {
  const answer = async ({ city }: Reach, body: { answer: string; text?: string }, words = body.answer) => {
    await city.call('POST ~/attention/{id}/answer', { params: { id }, body })
    return { text: `answered ${session ?? id}: ${words}` }
  }
  if (answers.length === 0) return []
  const numbered = answers.slice(0, 9).map((each, index): Action => {
    const words = options[index] ?? each
    return {
      key: String(index + 1),
      name: `answer-${index + 1}`,
      help: words,
      run: (reach) => answer(reach, { answer: each }, words),
    }
  })
  const inWords: Action = {
    key: 'r',
    name: 'answer',
    help: 'answer in words',
    fields: [
      { name: 'answer', title: `answer: ${answers.join(', ')}` },
      { name: 'text', title: 'words of your own with it', isOptional: true },
    ],
    run: (reach, { answer: chosen = '', text = '' }) => answer(reach, { answer: chosen, ...(text && { text }) }),
  }
  return [...numbered, inWords]
}
