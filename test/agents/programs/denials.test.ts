import { expect, setDefaultTimeout, test } from 'bun:test'
import { startProgram } from './asked-program.ts'
import { CASES } from './cases/all.ts'
import type { AskedCase } from './cases/case.ts'

setDefaultTimeout(180_000)

const FIRST = CASES.filter(({ name }) => name === 'a command of one word')

test.each(FIRST.map((asked): [string, AskedCase] => [asked.program.provider, asked]))(
  '%s asks before a command, and takes a no',
  async (_provider, { program, start }) => {
    await using started = await startProgram(program, start)
    const question = await started.asked()
    expect(question).toMatchObject({ kind: 'approval', cut: false, text: expect.stringContaining('make') })
    const no = question.options.find(({ role }) => role === 'deny')
    expect(await started.answer(question, no?.id ?? '')).toEqual({ result: 'taken', option: no?.id ?? '' })
    const results = started.model.requests.flatMap((request) => request.results)
    expect(results.join()).not.toContain('No targets')
  },
)
