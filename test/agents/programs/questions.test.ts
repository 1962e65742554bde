import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Question, QuestionOption } from '../../../src/host/protocol/question.ts'
import { type StartedProgram, startProgram } from './asked-program.ts'
import { type AskedCase, CASES } from './questions.ts'

setDefaultTimeout(300_000)

/** Where the screens are recorded that `test/agents/screens` reads; nothing is recorded without it. */
const RECORD = process.env.GC_RECORD_SCREENS
const ONLY = process.env.GC_ONLY_QUESTIONS ?? ''

interface Row {
  program: string
  asked: string
  answer: string
  became: string
}
const table: Row[] = []

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

async function record({ program, name }: AskedCase, started: StartedProgram, question: Question): Promise<void> {
  if (!RECORD) return
  const file = join(RECORD, `${program.provider}-${name.replaceAll(/[^a-z0-9]+/gi, '-')}`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.bin`, Bun.gzipSync(Buffer.from(await started.output())))
  const { kind, prompt, text, cut, options } = question
  writeFileSync(`${file}.json`, `${JSON.stringify({ kind, prompt, text, cut, options }, undefined, 2)}\n`)
}

/** Answers one question with one option; the other options are those of later starts of the same program. */
async function answered(asked: AskedCase, index: number): Promise<QuestionOption[]> {
  await using started = await startProgram(asked.program, asked.start)
  const question = await started.asked()
  expect(question).toMatchObject({ kind: asked.kind, cut: false })
  const whole = squeeze(question.text)
  for (const part of asked.contains) expect(whole).toContain(squeeze(part))
  if (index === 0) await record(asked, started, question)
  const { options } = question
  const option = options[index]
  if (!option) return options
  const outcome = await started.answer(question, option.id)
  const again = await started.answer(question, option.id)
  const what = await became(started, question)
  table.push({
    program: asked.program.provider,
    asked: asked.name,
    answer: option.label,
    became: `${outcome.result}; ${what}`,
  })
  expect([outcome, again]).toEqual([
    { result: 'taken', option: option.id },
    { result: 'taken', option: option.id },
  ])
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

describe('a question of', () => {
  test.each(
    CASES.filter(({ program, name }) => `${program.provider} ${name}`.includes(ONLY)).map(
      (asked): [string, string, AskedCase] => [asked.program.provider, asked.name, asked],
    ),
  )('%s about %s is shown whole, and takes each of its answers once', async (_provider, _name, asked) => {
    const options = await answered(asked, 0)
    const labels = options.map(({ label }) => label)
    for (let index = 1; index < options.length; index++) {
      expect((await answered(asked, index)).map(({ label }) => label)).toHaveLength(labels.length)
    }
  })
})
