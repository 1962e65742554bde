import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { joinOptions, type Question, type QuestionOption } from '../../../../src/host/protocol/question.ts'
import { type StartedProgram, startProgram } from '../asked-program.ts'
import { type Asked, AskedPrograms } from '../asked-programs.ts'
import type { AskedCase } from '../cases/case.ts'

interface Row {
  program: string
  asked: string
  answer: string
  became: string
}
/** The words of a person, for options that take them. */
const TEXT = 'Green as grass, please'

const rowOf = ({ program, name }: AskedCase, { label }: QuestionOption) => ({
  ...{ program: program.provider, asked: name, answer: label },
})

const squeeze = (text: string): string => text.replace(/\s+/g, ' ')

/** Effect of an answer on the program, in a word or two. */
async function became({ model, host, until, settle }: StartedProgram, question: Question): Promise<string> {
  const state = await settle().catch(() => undefined)
  if (!state) return 'the program ended'
  // One that asks again says so once all of that is drawn.
  const end = state.is === 'asking' ? Number.POSITIVE_INFINITY : performance.now() + 4_000
  const seen = await until(() => {
    const now = host.question('s')
    if (now && now.id !== question.id) return `asks: ${now.prompt}`
    const result = model.conversations.at(-1)?.results.at(-1)
    if (result !== undefined) return `answered the tool: ${squeeze(result).slice(0, 40)}`
    return performance.now() > end ? 'the question is gone' : undefined
  })
  return seen ?? 'the question is gone'
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

/** Fills a form with lists; the program receives the choice of each. */
async function filled({ program, start }: AskedCase): Promise<void> {
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
}

/** Answers questions that come up one after the other with the first option of each. */
async function submitted({ program, start }: AskedCase): Promise<void> {
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
}

/** Has one program ask all that it can, answers that, and keeps the result of each answer. */
class QuestionMatrix {
  readonly #rows: Row[] = []
  readonly #programs = new AskedPrograms()

  /** Has it ask, and looks at whether all of it is shown. */
  async shown(asked: AskedCase): Promise<Asked> {
    const { started, question: first } = await this.#programs.ask(asked)
    const isWhole = ({ text, cut }: Question) => {
      const whole = squeeze(text)
      return !cut && asked.contains.every((part) => whole.includes(squeeze(part)))
    }
    // What a busy machine lets it draw in parts becomes another question with each of them.
    const whole = await started.until(() => {
      const now = started.host.question('s')
      return now && isWhole(now) ? now : undefined
    })
    const question = whole ?? started.host.question('s') ?? first
    expect(question).toMatchObject({ kind: asked.kind, cut: false })
    for (const part of asked.contains) expect(squeeze(question.text)).toContain(squeeze(part))
    expect(question.options.length).toBeGreaterThan(0)
    return { started, question }
  }

  /** Answers a question with one option, twice. */
  async answered(asked: AskedCase, { started, question }: Asked, option: QuestionOption): Promise<void> {
    const text = option.text && (option.choices?.[0] ?? `${TEXT} (${this.#rows.length})`)
    const outcome = await started.answer(question, option.id, text)
    if (outcome.result !== 'taken') {
      this.#rows.push({ ...rowOf(asked, option), became: outcome.result })
      throw new Error(
        `"${option.label}" was ${outcome.result}; its screen shows:\n${await started.screen().catch(String)}`,
      )
    }
    const again = await started.answer(question, option.id)
    const what = await became(started, question)
    this.#rows.push({ ...rowOf(asked, option), became: `${outcome.result}; ${what}` })
    expect([outcome, again]).toEqual([
      { result: 'taken', option: option.id },
      { result: 'taken', option: option.id },
    ])
    // Of several questions, the program gives all answers at the end.
    if (text && !what.startsWith('asks')) {
      // A form says what was taken from its lists by names of its own, which differ in case.
      const told = text.toLowerCase()
      const isThere = () => (started.model.bodies.some((body) => body.toLowerCase().includes(told)) ? true : undefined)
      expect(await started.until(isThere)).toBe(true)
    }
  }

  /** Ticks boxes together, and submits what is asked then; the program was told of all of them. */
  async ticked(asked: AskedCase, labels: readonly string[]): Promise<void> {
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
    this.#rows.push({
      ...rowOf(asked, { id: '', label: labels.join(' + '), role: 'other' }),
      became: squeeze(told).slice(0, 80),
    })
    for (const label of [...labels, TEXT]) expect(told).toContain(label)
  }

  /** Keeps that an answer is not taken here. */
  leave(asked: AskedCase, option: QuestionOption): void {
    this.#rows.push({ ...rowOf(asked, option), became: 'not taken here: it wants an editor or the network' })
  }

  /** Ends what runs, and prints the table. */
  async end(): Promise<void> {
    await this.#programs.end()
    const cells = this.#rows.map(({ program, asked, answer, became: what }) => [
      program,
      asked,
      answer.slice(0, 60),
      what,
    ])
    const rows = cells.map((row) => `| ${row.join(' | ')} |`)
    process.stdout.write(
      `\n${['| program | asked | answer | what came of it |', '| --- | --- | --- | --- |', ...rows].join('\n')}\n\n`,
    )
  }
}

/** Tests that every question of a program is shown whole, and that each answer to it does what it says. */
export function testQuestions(cases: readonly AskedCase[]): void {
  setDefaultTimeout(3_600_000)
  const matrix = new QuestionMatrix()
  afterAll(() => matrix.end())

  const named = (name: string) => cases.filter((asked) => asked.name === name)
  for (const asked of cases) {
    const { name, together } = asked
    if (together) {
      test(`${name} are ticked together, one of them with words of a person`, () => matrix.ticked(asked, together))
    }
  }
  for (const asked of named('a form of a server')) {
    test(`${asked.name} is read with the lists of its fields, and filled`, () => filled(asked))
  }
  for (const asked of named('two questions')) {
    test(`${asked.name} are answered one after the other, and submitted`, () => submitted(asked))
  }
  describe('is shown whole, and takes its answers once:', () => {
    test.each(cases.map((asked): [string, AskedCase] => [asked.name, asked]))('%s', async (_name, asked) => {
      let now = await matrix.shown(asked)
      const { options } = now.question
      for (const option of options.filter(({ label }) => asked.wantsMore?.test(label))) matrix.leave(asked, option)
      for (const [index, option] of takenOf(asked, options).entries()) {
        if (index > 0) now = await matrix.shown(asked)
        expect(now.question.options).toHaveLength(options.length)
        await matrix.answered(asked, now, option)
      }
    })
  })
}
