import type { AttentionItem } from '../../src/agents/attention/index.ts'
import type { Action, Reach } from './page.ts'

const OWN_WORDS = { name: 'text', title: 'words of your own with it', isOptional: true } as const

/** The answers of a question: by number, or in words. */
/** Allows what a question asks from now on, exactly as it asks it. */
export function allowAlways({ id, kind, subject, agent }: AttentionItem): Action[] {
  if (subject === undefined) return []
  return [
    {
      key: 'L',
      name: 'rule',
      hint: 'always allow this',
      help: 'add a rule that allows exactly this from now on',
      afterReading: true,
      fields: [
        { name: 'days', title: 'for how many days', initial: '30' },
        { name: 'unconfined', title: 'also without a sandbox', initial: 'no', choices: ['no', 'yes'] },
      ],
      confirm: `Always allow ${agent}: ${subject}? It runs what its session can change (${kind})`,
      run: async ({ city }, { days = '', unconfined }) => {
        const until = new Date(Date.now() + Number(days) * 24 * 3_600_000)
        if (Number.isNaN(until.getTime())) return { text: `"${days}" is not a number of days` }
        const body = { question: id, until: until.toISOString(), ...(unconfined === 'yes' && { unconfined: true }) }
        const rule = await city.call('POST ~/rules', { body })
        return { text: `rule ${rule.id} allows ${rule.value}`, isAnswered: true }
      },
    },
  ]
}

export function answersOf(
  { id, answers, options = [], texts = [], ticks = [], session_id: session, same }: AttentionItem,
  equal: readonly AttentionItem[],
): Action[] {
  const answer = async ({ city }: Reach, body: { answer: string; text?: string }, words = body.answer) => {
    await city.call('POST ~/attention/{id}/answer', { params: { id }, body })
    return { text: `answered ${session ?? id}: ${words}`, isAnswered: true }
  }
  if (answers.length === 0) return []
  const boxesOf = ticks.map((each) => `${each} ${options[answers.indexOf(each)] ?? each}`).join(', ')
  const words = answers.map((each, index) => options[index] ?? each)
  const choices = new Set(words).size === words.length ? words : answers
  const numbered = answers.slice(0, 9).map((each, index): Action => {
    const words = options[index] ?? each
    const named = { key: String(index + 1), name: `answer-${index + 1}`, hint: words, help: words, afterReading: true }
    if (!ticks.includes(each) && !texts.includes(each))
      return { ...named, run: (reach) => answer(reach, { answer: each }, words) }
    const boxes = { name: 'answer', title: `boxes to tick, with commas between them: ${boxesOf}`, initial: each }
    return {
      ...named,
      fields: [...(ticks.includes(each) ? [boxes] : []), ...(texts.length > 0 ? [OWN_WORDS] : [])],
      run: (reach, { answer: chosen = each, text = '' }) => answer(reach, { answer: chosen, ...(text && { text }) }),
    }
  })
  const inWords: Action = {
    key: 'r',
    name: 'answer',
    help: 'answer in words',
    afterReading: true,
    fields: [
      ticks.length > 0
        ? { name: 'answer', title: `boxes to tick, with commas between them: ${boxesOf}` }
        : { name: 'answer', title: 'answer', choices },
      OWN_WORDS,
    ],
    run: (reach, { answer: chosen = '', text = '' }) => {
      const picked = answers[choices.indexOf(chosen)] ?? chosen
      return answer(reach, { answer: picked, ...(text && { text }) }, chosen)
    },
  }
  return [...numbered, ...answerAll({ same, answers, choices, texts }, equal), inWords]
}

interface Choosing {
  same: string | undefined
  answers: readonly string[]
  choices: readonly string[]
  texts: readonly string[]
}

/** One answer for all sessions that ask exactly this. */
function answerAll({ same, answers, choices, texts }: Choosing, equal: readonly AttentionItem[]): Action[] {
  if (same === undefined || equal.length < 2) return []
  const ids = equal.map((each) => each.id)
  const field = { name: 'answer', title: `answer for ${ids.length} sessions`, choices }
  return [
    {
      key: 'A',
      name: 'answer-all',
      hint: `answer all ${ids.length}`,
      help: `give one answer to the ${ids.length} sessions that ask exactly this`,
      afterReading: true,
      fields: [field, ...(texts.length > 0 ? [OWN_WORDS] : [])],
      run: async ({ city }, { answer: chosen = '', text = '' }) => {
        const picked = answers[choices.indexOf(chosen)] ?? chosen
        const body = { ids, same, answer: picked, ...(text && { text }) }
        const { answered, left } = await city.call('POST ~/attention/answer', { body })
        const reasons = left.map((each) => ` · ${each.id}: ${each.reason}`).join('')
        return { text: `answered ${answered.length} of ${ids.length}: ${chosen}${reasons}`, isAnswered: true }
      },
    },
  ]
}
