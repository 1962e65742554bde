import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HostClient } from '../../src/host/client/host-client.ts'
import type { Question } from '../../src/host/protocol/question.ts'
import { eventually, type HostWorld, hostWorld, spec } from './world.ts'

setDefaultTimeout(60_000)

const ASKER = join(import.meta.dir, 'terminal/programs/asker.ts')
const KEY = 's'
const LINES = Array.from({ length: 60 }, (_, index) => `touch file-${index}`)
const LONG = `touch ${Array.from({ length: 90 }, (_, index) => `word-${index}`).join(' ')}`

interface Size {
  cols: number
  rows: number
}

/** A program that asks for permission in a host, with everything that was reported of its questions. */
async function asking(world: HostWorld, args: string[] = [], size: Size = { cols: 120, rows: 40 }) {
  const host = await world.connect()
  const reported: (Question | undefined)[] = []
  host.onQuestion((_key, question) => reported.push(question))
  const log = world.folder.at('log')
  const argv = [process.execPath, ASKER, '--log', log, ...args]
  await host.start(spec(world, KEY, argv, { ...size, program: { name: 'claude', readyPrefix: '❯ ' } }))
  await eventually(async () => host.question(KEY) !== undefined)
  return { host, reported, log, question: questionOf(host) }
}

function questionOf(host: HostClient): Question {
  const question = host.question(KEY)
  if (!question) throw new Error('it asks nothing')
  return question
}

/** The options that were confirmed. */
const confirmed = (log: string): string[] =>
  existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []

describe.concurrent('a question on a screen', () => {
  test('is reported when it comes up and when it is answered', async () => {
    await using world = hostWorld()
    const { host, reported, log, question } = await asking(world)
    expect(question).toMatchObject({
      ...{ kind: 'approval', prompt: 'Do you want to proceed?', cut: false },
      text: 'Bash command\n  make\n\nThis command requires approval',
      options: [
        { id: '1', label: 'Yes', role: 'allow-once' },
        { id: '2', label: 'Yes, and don’t ask again', role: 'allow-always' },
        { id: '3', label: 'No', role: 'deny' },
      ],
    })
    expect(question.picture.join('\n')).toContain('❯ 1. Yes')
    expect(await host.choose(KEY, question.id, '3')).toEqual({ result: 'taken', option: '3' })
    expect(reported).toEqual([question, undefined])
    expect(confirmed(log)).toEqual(['No'])
  })

  test('is answered once, anyone who asks again: the second one gets the first answer', async () => {
    await using world = hostWorld()
    const { host, question, log } = await asking(world)
    const answers = await Promise.all(['3', '1', '3'].map((option) => host.choose(KEY, question.id, option)))
    expect(answers).toEqual(Array(3).fill({ result: 'taken', option: '3' }))
    expect(confirmed(log)).toEqual(['No'])
  })

  test('is answered once by a supervisor that is gone before it hears of it', async () => {
    await using world = hostWorld()
    const { host, question, log } = await asking(world)
    const lost = host.choose(KEY, question.id, '2').catch(String)
    await Bun.sleep(20)
    host.close()
    expect(await lost).toContain('the supervisor has let go of its session host')
    const next = await world.connect()
    expect(await next.choose(KEY, question.id, '2')).toEqual({ result: 'taken', option: '2' })
    expect(next.question(KEY)).toBeUndefined()
    expect(confirmed(log)).toEqual(['Yes, and don’t ask again'])
  })

  test('asked again is another question, and an answer to the first one presses nothing', async () => {
    await using world = hostWorld()
    const { host, question, log } = await asking(world, ['--again'])
    await host.choose(KEY, question.id, '3')
    await eventually(async () => host.question(KEY) !== undefined)
    const next = questionOf(host)
    expect(next).toMatchObject({ text: question.text, options: question.options })
    expect(next.id).not.toBe(question.id)
    expect(await host.choose(KEY, question.id, '1')).toEqual({ result: 'taken', option: '3' })
    expect(confirmed(log)).toEqual(['No'])
  })

  test('stays the same while its program draws it ten times a second', async () => {
    await using world = hostWorld()
    const { host, reported, log, question } = await asking(world, ['--redraws'])
    await Bun.sleep(1_500)
    expect(reported).toEqual([question])
    expect(await host.choose(KEY, question.id, '2')).toEqual({ result: 'taken', option: '2' })
    expect(confirmed(log)).toEqual(['Yes, and don’t ask again'])
  })

  test('counts once it is drawn to its end', async () => {
    await using world = hostWorld()
    const { reported } = await asking(world, ['--half'])
    expect(reported.map((question) => question?.options.length)).toEqual([3])
  })

  test.each<[what: string, text: string, size: Size]>([
    ['60 lines', LINES.join('\n'), { cols: 120, rows: 40 }],
    ['one long line', LONG, { cols: 120, rows: 40 }],
    ['one long line in 40 columns', LONG, { cols: 40, rows: 24 }],
  ])('of %s is read whole, and its program has its size again', async (_what, text, size) => {
    await using world = hostWorld()
    const { host, question, log } = await asking(world, ['--text', text], size)
    expect(question.cut).toBe(false)
    expect(question.text.split('\n').map((line) => line.trim())).toEqual(expect.arrayContaining(text.split('\n')))
    await eventually(async () => (await host.screen(KEY)).cols === size.cols)
    expect(await host.choose(KEY, question.id, '3')).toEqual({ result: 'taken', option: '3' })
    expect(confirmed(log)).toEqual(['No'])
  })

  test('of a megabyte, which no terminal can show whole, says that it is cut, and is answered', async () => {
    await using world = hostWorld()
    const { host, question, log } = await asking(world, ['--text', `${'x'.repeat(99)} `, '--times', '10000'])
    expect(question.cut).toBe(true)
    expect(JSON.stringify(question).length).toBeLessThan(512 << 10)
    expect(await host.choose(KEY, question.id, '3')).toEqual({ result: 'taken', option: '3' })
    expect(confirmed(log)).toEqual(['No'])
  })

  test('has no characters in it that a terminal would act upon', async () => {
    await using world = hostWorld()
    const { question } = await asking(world, ['--text', 'rm\x1b[31m -rf\x07 \x1b]0;title\x07build'])
    expect(question.text).toContain('rm -rf build')
    expect([...question.text].filter((character) => character < ' ' && character !== '\n')).toEqual([])
  })
})
