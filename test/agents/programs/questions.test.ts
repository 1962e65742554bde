import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { joinOptions, type Question, type QuestionOption } from '../../../src/host/protocol/question.ts'
import { type StartedProgram, startProgram } from './asked-program.ts'
import { type Asked, AskedPrograms } from './asked-programs.ts'
import type { AskedCase } from './cases/case.ts'
import { CASES } from './questions.ts'

setDefaultTimeout(1_800_000)

interface Row {
  program: string
  asked: string
  answer: string
  became: string
}
const table: Row[] = []
const programs = new AskedPrograms()
/** The words of a person, for options that take them. */
const TEXT = 'Green as grass, please'

const rowOf = ({ program, name }: AskedCase, { label }: QuestionOption) => ({
  ...{ program: program.provider, asked: name, answer: label },
})

const squeeze = (text: string): string => text.replace(/\s+/g, ' ')

/** What the program did upon an answer, in a word or two. */
async function became({ model, host, until, settle }: StartedProgram, question: Question): Promise<string> {
  const isOver = await settle().then(
    () => false,
    () => true,
  )
  if (isOver) return 'the program ended'
  const end = performance.now() + 4_000
  const seen = await until(() => {
    const now = host.question('s')
    if (now && now.id !== question.id) return `asks: ${now.prompt}`
    const result = model.conversations.at(-1)?.results.at(-1)
    if (result !== undefined) return `answered the tool: ${squeeze(result).slice(0, 40)}`
    return performance.now() > end ? 'the question is gone' : undefined
  })
  return seen ?? 'the question is gone'
}

/** Has it ask, and looks at whether all of it is shown. */
async function shown(asked: AskedCase): Promise<Asked> {
  const { started, question: first } = await programs.ask(asked)
  const has = ({ text }: Question) => {
    const whole = squeeze(text)
    return asked.contains.every((part) => whole.includes(squeeze(part)))
  }
  // What a busy machine lets it draw in parts becomes another question with each of them.
  const whole = await started.until(() => {
    const now = started.host.question('s')
    return now && has(now) ? now : undefined
  })
  const question = whole ?? started.host.question('s') ?? first
  expect(question).toMatchObject({ kind: asked.kind, cut: false })
  for (const part of asked.contains) expect(squeeze(question.text)).toContain(squeeze(part))
  expect(question.options.length).toBeGreaterThan(0)
  return { started, question }
}

/** Answers a question with one option, twice. */
async function answered(asked: AskedCase, { started, question }: Asked, option: QuestionOption): Promise<void> {
  const text = option.text && (option.choices?.at(-1) ?? `${TEXT} (${table.length})`)
  const outcome = await started.answer(question, option.id, text)
  if (outcome.result !== 'taken') {
    table.push({ ...rowOf(asked, option), became: outcome.result })
    throw new Error(
      `"${option.label}" was ${outcome.result}; its screen shows:\n${await started.screen().catch(String)}`,
    )
  }
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
}

/** The first of these that leave a program asking as before. */
const ORDER: readonly QuestionOption['role'][] = ['allow-once', 'deny', 'other', 'deny-always', 'allow-always']

/** The options of a question that are taken, one after the other. */
function takenOf({ takes, wantsMore }: AskedCase, options: readonly QuestionOption[]): QuestionOption[] {
  const [first, last] = [options.at(0), options.at(-1)]
  if (takes) return [takes === 'last' ? last : first].filter((option) => option !== undefined)
  return options
    .filter(({ label }) => !wantsMore?.test(label))
    .sort((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role))
}

afterAll(async () => {
  await programs.end()
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
  const next = await started.until(() => result() ?? started.host.question('s'))
  if (typeof next === 'object') await started.answer(next, '1')
  const told = (await started.until(result)) ?? ''
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

describe('a form of', () => {
  const forms = CASES.filter(({ name }) => name === 'a form of a server')
  test.each(forms.map((asked): [string, AskedCase] => [asked.program.provider, asked]))(
    '%s is read with the lists of its fields, and filled',
    async (_provider, { program, start }) => {
      await using started = await startProgram(program, start)
      const question = await started.asked()
      const [place, sizes, sure, note] = question.options
      expect(place).toMatchObject({ text: 'required', choices: ['Staging', 'Production', 'Nowhere at all'] })
      expect(sizes).toMatchObject({ text: 'required', choices: ['small', 'large', 'huge'], several: true })
      expect([sure?.text, note?.text, note?.choices]).toEqual([undefined, 'required', undefined])
      const taken = joinOptions(['1', '2', '3', '4'])
      const outcome = await started.answer(question, taken, `nowhere at all\n3, small\n${TEXT}`)
      expect(outcome.result).toBe('taken')
      const told = await started.until(() => started.model.conversations.at(-1)?.results.at(-1))
      const content = { place: 'nowhere', sizes: ['huge', 'small'], sure: true, note: TEXT }
      expect(told).toContain('"action":"accept"')
      for (const [name, value] of Object.entries(content)) {
        const values = Array.isArray(value) ? value : [JSON.stringify(value)]
        for (const each of values) expect(told).toContain(each)
        expect(told).toContain(`"${name}"`)
      }
    },
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
        })
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
      let now = await shown(asked)
      const { options } = now.question
      for (const option of options.filter(({ label }) => asked.wantsMore?.test(label)))
        table.push({ ...rowOf(asked, option), became: 'not taken here: it wants an editor or the network' })
      for (const [index, option] of takenOf(asked, options).entries()) {
        if (index > 0) now = await shown(asked)
        expect(now.question.options).toHaveLength(options.length)
        await answered(asked, now, option)
      }
    },
  )
})
