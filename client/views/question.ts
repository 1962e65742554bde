import type { AttentionItem } from '../../src/agents/attention/index.ts'
import { asksOf, groupEqual } from '../../src/client/attention.ts'
import { allowAlways, answersOf } from './answers.ts'
import { attachTo } from './attach.ts'
import { aboutOf } from './attention.ts'
import { isOneOf, type Line, text } from './page.ts'

/** One item that waits for a person, with all that is asked. */
export const questionPage = text({
  name: 'question',
  about: 'question',
  title: 'question',
  help: 'one thing that waits for a person, whole',
  isChangedBy: isOneOf('attention.'),
  load: async ({ city, subject, signal }) => {
    const { items } = await city.call('GET ~/attention', { ...(signal && { signal }) })
    const item = items.find(({ id }) => id === subject)
    const group = groupEqual(items).find(({ item, others }) => [item, ...others].some(({ id }) => id === subject))
    if (!item) return { lines: [{ text: 'Already answered. Press ! for the next.' }], actions: [], opens: undefined }
    const attach = attachTo(item.session_id, 'no session asks it')
    const equal = group ? [group.item, ...group.others] : [item]
    const lines = questionLines(item, equal)
    const picture = lines.findIndex(({ isPicture }) => isPicture)
    const toRead = picture < 0 ? lines.length : picture
    return {
      lines,
      toRead,
      actions: [...answersOf(item, equal), ...allowAlways(item), attach],
      opens: aboutOf(item, city.name),
    }
  },
})

/** Everything about the question: what is approved is never cut. */
export function questionLines(item: AttentionItem, equal: readonly AttentionItem[] = [item]): Line[] {
  const facts: [string, string | undefined][] = [
    ['agent', item.agent],
    ['session', item.session_id],
    ['bead', item.bead_id],
    ['folder', item.folder],
  ]
  const options = item.answers.flatMap((answer, index) => {
    const box = item.ticks?.includes(answer) ? '[ ] ' : ''
    const lists = item.lists?.filter((list) => list.answer === answer) ?? []
    const choices = lists.map((list) => `       ${list.several ? 'any of' : 'one of'} ${list.choices.join(', ')}`)
    const explains = item.descriptions?.[index] ? [`       ${item.descriptions[index]}`] : []
    return [`  ${index + 1}  ${box}${item.options?.[index] ?? answer}`, ...explains, ...choices]
  })
  return [
    { text: asksOf(item), tone: 'strong' },
    { text: '' },
    ...(item.text?.split(/\r?\n/) ?? []).map((line): Line => ({ text: line, tone: 'warning' })),
    ...(item.cut ? [{ text: 'This is only a part of it: open its terminal to see all.', tone: 'bad' as const }] : []),
    { text: '' },
    ...facts.flatMap(([name, value]) => (value ? [{ text: `${name.padEnd(9)}${value}`, tone: 'quiet' as const }] : [])),
    ...(equal.length > 1
      ? [{ text: `${equal.length} sessions ask this: ${equal.map(({ session_id: id }) => id).join(', ')}` }]
      : []),
    { text: '' },
    ...options.map((line): Line => ({ text: line })),
    { text: '' },
    { text: item.to_do, tone: 'quiet' },
    ...(item.picture?.length
      ? [{ text: '' }, ...item.picture.map((line): Line => ({ text: line, isPicture: true }))]
      : []),
  ]
}
