import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { joinOptions, type Question, type QuestionOption } from '../../../src/host/protocol/question.ts'
import { type StartedProgram, startProgram } from './asked-program.ts'
import type { AskedCase } from './cases/case.ts'
import { CASES } from './questions.ts'

setDefaultTimeout(300_000)

interface Row {
  program: string
  asked: string
  answer: string
  became: string
}
const table: Row[] = []
/** The words of a person, for options that take them. */
const TEXT = 'Green as grass, please'

const rowOf = ({ program, name }: AskedCase, { label }: QuestionOption) => ({
  ...{ program: program.provider, asked: name, answer: label },
})

const squeeze = (text: string): string => text.replace(/\s+/g, ' ')

/** What the program did upon an answer, in a word or two. */
async function became(started: StartedProgram, question: Question): Promise<string> {
  const { model, host, until } = started
  const seen = await until(() => {
    const now = host.question('s')
    if (now && now.id !== question.id) return `asks: ${now.prompt}`
    const results = model.requests.at(-1)?.results ?? []
    return results.length > 0 ? `answered the tool: ${squeeze(results.at(-1) ?? '').slice(0, 40)}` : undefined
  }, 4_000)
  if (seen) return seen
  const isGone = (await host.list())[0]?.state !== 'running'
  return isGone ? 'the program ended' : 'the question is gone'
}

/** Answers one question with one option; the other options are those of later starts of the same program. */
async function answered(asked: AskedCase, index: number): Promise<QuestionOption[]> {
  await using started = await startProgram(asked.program, asked.start)
  await asked.typed?.(started)
  const question = await started.asked()
  expect(question).toMatchObject({ kind: asked.kind, cut: false })
  const whole = squeeze(question.text)
  for (const part of asked.contains) expect(whole).toContain(squeeze(part))
  const { options } = question
  expect(options.length).toBeGreaterThan(0)
  const option = options.at(index)
  if (!option) return options
  if (asked.wantsMore?.test(option.label)) {
    table.push({ ...rowOf(asked, option), became: 'not taken here: it wants an editor or the network' })
    return options
  }
  const text = option.text && TEXT
  const outcome = await started.answer(question, option.id, text)
  const again = await started.answer(question, option.id)
  const what = await became(started, question)
  table.push({ ...rowOf(asked, option), became: `${outcome.result}; ${what}` })
  expect([outcome, again]).toEqual([
    { result: 'taken', option: option.id },
    { result: 'taken', option: option.id },
  ])
  // Of several questions, the program gives all answers at the end.
  if (text && !what.startsWith('asks')) {
    const isThere = () => (started.model.bodies.some((body) => body.includes(text)) ? true : undefined)
    expect(await started.until(isThere)).toBe(true)
  }
  return options
}

afterAll(() => {
  const rows = table.map(
    ({ program, asked, answer, became: what }) => `| ${[program, asked, answer.slice(0, 60), what].join(' | ')} |`,
  )
  process.stdout.write(
    `\n${['| program | asked | answer | what came of it |', '| --- | --- | --- | --- |', ...rows].join('\n')}\n\n`,
  )
})

/** Ticks boxes together, and submits what is asked then; the program was told of all of them. */
async function ticked(asked: AskedCase, labels: readonly string[]): Promise<void> {
  await using started = await startProgram(asked.program, asked.start)
  const question = await started.asked()
  const boxes = question.options.filter(({ label, text }) => text !== undefined || labels.includes(label))
  expect(boxes.every(({ ticks }) => ticks)).toBe(true)
  const outcome = await started.answer(question, joinOptions(boxes.map(({ id }) => id)), TEXT)
  expect(outcome.result).toBe('taken')
  const result = () => started.model.conversations.at(-1)?.results.at(-1)
  const next = await started.until(() => result() ?? started.host.question('s'), 20_000)
  if (typeof next === 'object') await started.answer(next, '1')
  const told = (await started.until(result, 20_000)) ?? ''
  table.push({
    ...rowOf(asked, { id: '', label: labels.join(' + '), role: 'other' }),
    became: squeeze(told).slice(0, 80),
  })
  for (const label of [...labels, TEXT]) expect(told).toContain(label)
}

describe('boxes of', () => {
  const several = CASES.flatMap((asked) => (asked.together ? [{ asked, together: asked.together }] : []))
  test.each(several.map((each): [string, typeof each] => [each.asked.program.provider, each]))(
    '%s are ticked together, one of them with words of a person',
    (_provider, { asked, together }) => ticked(asked, together),
  )
})

describe('two questions of', () => {
  const several = CASES.filter(({ name }) => name === 'two questions')
  test.each(several.map((asked): [string, AskedCase] => [asked.program.provider, asked]))(
    '%s are answered one after the other, and submitted',
    async (_provider, { program, start }) => {
      await using started = await startProgram(program, start)
      let question = await started.asked()
      const result = () => started.model.conversations.at(-1)?.results.at(-1)
      for (let count = 0; count < 4 && result() === undefined; count++) {
        expect((await started.answer(question, '1')).result).toBe('taken')
        const { id } = question
        const next = await started.until(() => {
          const now = started.host.question('s')
          return result() ?? (now && now.id !== id ? now : undefined)
        }, 20_000)
        if (typeof next === 'object') question = next
      }
      for (const answer of ['Red', 'Small']) expect(result()).toContain(answer)
    },
  )
})

describe('a question of', () => {
  test.each(CASES.map((asked): [string, string, AskedCase] => [asked.program.provider, asked.name, asked]))(
    '%s about %s is shown whole, and takes its answers once',
    async (_provider, _name, asked) => {
      const options = await answered(asked, asked.takes === 'last' ? -1 : 0)
      if (asked.takes) return
      const labels = options.map(({ label }) => label)
      for (let index = 1; index < options.length; index++) {
        expect((await answered(asked, index)).map(({ label }) => label)).toHaveLength(labels.length)
      }
    },
  )
})
