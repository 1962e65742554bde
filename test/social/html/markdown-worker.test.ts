import { describe, expect, test } from 'bun:test'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { asWritten, isQuicklyRendered, markdown } from '../../../src/social/html/markdown.ts'
import { MarkdownRenderer } from '../../../src/social/html/markdown-renderer.ts'
import { MarkdownWorker } from '../../../src/social/html/markdown-worker.ts'
import { TestClock } from '../../support/clock.ts'
import { HOSTILE_MARKDOWN } from '../../support/hostile-markdown.ts'

function setUp() {
  const clock = new TestClock()
  const deadlines = new Deadlines(clock, clock)
  const errors: unknown[] = []
  const options = { deadlines, report: (error: unknown) => void errors.push(error) }
  return { clock, options, errors }
}

const LONG = `# Title\n\n${'some *words* and more\n\n'.repeat(200)}`

describe('rendering in the worker', () => {
  test('gives what rendering here gives, for hostile texts as well', async () => {
    const { options, errors } = setUp()
    const renderer = new MarkdownRenderer(options)
    const texts = Object.entries({ ...HOSTILE_MARKDOWN, long: LONG, short: '**a**' })
    const revised = texts.map(([id, source]) => ({ id, revision: '1', source }))
    const rendered = await renderer.render(revised, 'ada')
    for (const [id, source] of texts) expect([id, rendered.get(id)?.text === markdown(source).text]).toEqual([id, true])
    renderer.stop()
    expect(errors).toEqual([])
  })

  test('that takes too long is given up, and the text is shown as it was written; the next text is rendered', async () => {
    const { clock, options, errors } = setUp()
    const worker = new MarkdownWorker(options)
    const [slow, next] = [worker.render(LONG, 'ada'), worker.render(`${LONG}.`, 'bob')]
    await clock.advance(1_000)
    expect((await slow)?.text).toBe(asWritten(LONG).text)
    expect((await next)?.text).toBe(markdown(`${LONG}.`).text)
    worker.stop()
    expect(errors).toEqual([])
  })

  test('takes turns between visitors, and lets each wait with so many texts at most', async () => {
    const { options } = setUp()
    const worker = new MarkdownWorker(options)
    const done: string[] = []
    const add = (visitor: string, at: number) =>
      worker.render(`${LONG} ${at}`, visitor)?.then(() => void done.push(`${visitor} ${at}`))
    const ada = Array.from({ length: 100 }, (_, at) => add('ada', at))
    const bob = add('bob', 0)
    expect(ada.filter((promise) => promise === undefined)).toHaveLength(35)
    await bob
    expect(done).toEqual(['ada 0', 'ada 1', 'bob 0'])
    worker.stop()
    await Promise.all(ada)
    expect(done).toHaveLength(66)
  })

  test('of the same revision happens once, and of another again', async () => {
    const { options } = setUp()
    const renderer = new MarkdownRenderer(options)
    const render = async (revision: string, source: string) =>
      (await renderer.render([{ id: 'a', revision, source }], 'ada')).get('a')
    const [one, other] = await Promise.all([render('1', LONG), render('1', LONG)])
    expect(one).toBe(other)
    expect(await render('1', LONG)).toBe(one)
    expect((await render('2', 'new'))?.text).toBe('<p>new</p>\n')
    renderer.stop()
  })
})

test('only short texts without large tables are rendered on the loop', () => {
  expect(
    [LONG, HOSTILE_MARKDOWN['narrow table']?.slice(0, 500)].map((text) => isQuicklyRendered(String(text))),
  ).toEqual([false, false])
  expect(isQuicklyRendered('| a | b |\n|---|---|\n| 1 | 2 |\n')).toBe(true)
})
