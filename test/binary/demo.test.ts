import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { tempFolder } from '../support/folder.ts'

const DEMO = resolve(import.meta.dir, '../demo/demo.ts')
const FORMULA = resolve(import.meta.dir, '../demo/formula.ts')
const ORDERS = resolve(import.meta.dir, '../demo/orders.ts')

/** Runs the demonstration with a temporary folder and a PATH of its own. */
function run(folder: string, { demo = DEMO, path = process.env.PATH ?? '' } = {}) {
  const child = Bun.spawn([process.execPath, demo], {
    env: { ...process.env, TMPDIR: folder, PATH: path },
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 110_000,
  })
  const shown = Promise.withResolvers<void>()
  const read = async () => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const bytes of child.stdout) {
      text += decoder.decode(bytes, { stream: true })
      if (text.includes('bead.created')) shown.resolve()
    }
    return text
  }
  return { child, out: read(), working: Promise.race([shown.promise, child.exited]) }
}

describe('the demo', () => {
  test('shows one piece of work from end to end and leaves nothing behind', async () => {
    using folder = tempFolder()
    const { child, out } = run(folder.path)
    expect(await child.exited).toBe(0)
    const text = await out
    for (const part of ['bead.closed', 'convoy.closed', 'shop/greeter works on', 'Hello from shop/greeter.']) {
      expect(text).toContain(part)
    }
    expect(readdirSync(folder.path).filter((name) => name.startsWith('gc-demo-'))).toEqual([])
  }, 30_000)

  test('without git it ends with a sentence and a non-zero status', async () => {
    using folder = tempFolder()
    const { child, out } = run(folder.path, { path: folder.at('nothing-here') })
    expect(await child.exited).toBe(1)
    expect(await out).toContain('The demo failed: ')
    expect(readdirSync(folder.path).filter((name) => name.startsWith('gc-demo-'))).toEqual([])
  }, 30_000)

  test('ends what it started when interrupted', async () => {
    using folder = tempFolder()
    const { child, out, working } = run(folder.path)
    await working
    child.kill('SIGINT')
    expect(await child.exited).toBe(1)
    const text = await out
    expect(text).toContain('it was interrupted')
    expect(text).toContain('controller.stopped')
    expect(readdirSync(folder.path).filter((name) => name.startsWith('gc-demo-'))).toEqual([])
  }, 30_000)
})

describe('the demo of orders', () => {
  test('shows a day: an answer to the outside, a formula that a webhook starts, and an order of every kind', async () => {
    using folder = tempFolder()
    const { child, out } = run(folder.path, { demo: ORDERS })
    expect(await child.exited).toBe(0)
    const text = await out
    expect(text).toContain('messenger │ Ann: When do you open?')
    expect(text.match(/messenger │ town: The shop opens at nine\./g)).toHaveLength(1)
    expect(text).toMatch(/webhook\.received {2}releases/)
    for (const order of ['every-minute', 'tidy', 'stock', 'answered', 'by-hand', 'announce']) {
      expect(text).toContain(`order.completed  ${order}`)
    }
    expect(text).not.toContain('order.failed')
    expect(readdirSync(folder.path).filter((name) => name.startsWith('gc-demo-'))).toEqual([])
  }, 120_000)
})

describe('the demo of a formula', () => {
  test('builds, fails its check once, builds again, has it reviewed by another agent, and is completed', async () => {
    using folder = tempFolder()
    const { child, out } = run(folder.path, { demo: FORMULA })
    expect(await child.exited).toBe(0)
    const text = await out
    for (const part of [
      'check │ exit 1 greeting.txt greets nobody',
      'check │ exit 0',
      'reviewed by shop/reviewer: Hello',
    ]) {
      expect(text).toContain(part)
    }
    expect(text).toMatch(/run │ \S+ is completed/)
    expect(readdirSync(folder.path).filter((name) => name.startsWith('gc-demo-'))).toEqual([])
  }, 60_000)
})
