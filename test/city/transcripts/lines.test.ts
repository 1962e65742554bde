import { describe, expect, test } from 'bun:test'
import { appendFileSync, renameSync } from 'node:fs'
import { Claude } from '../../../src/city/transcripts/claude.ts'
import { JsonlLog } from '../../../src/city/transcripts/jsonl-log.ts'
import { LineFile } from '../../../src/city/transcripts/lines.ts'
import { tempFolder } from '../../support/folder.ts'
import { append, claude, jsonl, write } from './samples.ts'

const texts = async (file: LineFile) => (await file.read())?.lines.map(({ text }) => text)

describe('a growing file', () => {
  test('is read once, from where the last reading stopped', async () => {
    using folder = tempFolder()
    const path = write(folder.at('log'), 'one\ntwo\n')
    const file = new LineFile(path, 1e6)
    expect(await texts(file)).toEqual(['one', 'two'])
    appendFileSync(path, 'three\nfo')
    expect(await texts(file)).toEqual(['three'])
    appendFileSync(path, 'ur\n')
    expect(await texts(file)).toEqual(['four'])
    expect(await texts(file)).toEqual([])
  })

  test('counts a whole last line that nobody ended, and a cut one only when it is whole', async () => {
    using folder = tempFolder()
    const file = new LineFile(write(folder.at('log'), '{"a":1}\n{"b":'), 1e6)
    expect(await texts(file)).toEqual(['{"a":1}'])
    appendFileSync(file.path, '2}')
    expect(await texts(file)).toEqual(['{"b":2}'])
    appendFileSync(file.path, '\n{"c":3}\n')
    expect(await texts(file)).toEqual(['{"c":3}'])
  })

  test('of any size is read from its end, beginning with a whole line', async () => {
    using folder = tempFolder()
    const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n} ${'é'.repeat(40)}`)
    const file = new LineFile(write(folder.at('log'), `${lines.join('\n')}\n`), 300_000)
    const read = (await texts(file)) ?? []
    expect(file.truncated).toBe(true)
    expect(read).toEqual(lines.slice(-read.length))
    expect(read.length).toBeGreaterThan(3000)
  })

  test('that another took the place of, or that was written anew, is read from the start', async () => {
    using folder = tempFolder()
    const file = new LineFile(write(folder.at('log'), 'one\ntwo\n'), 1e6)
    await file.read()
    renameSync(write(folder.at('new'), 'ten\neleven\ntwelve\n'), file.path)
    expect(await file.read()).toMatchObject({ fresh: true, lines: [{ text: 'ten' }, {}, {}] })
    write(file.path, 'other\nwords, and more of them than before\n')
    expect(await file.read()).toMatchObject({ fresh: true, lines: [{ text: 'other' }, {}] })
    expect(await new LineFile(folder.at('none'), 1e6).read()).toBeUndefined()
  })
})

describe('a log of JSON lines', () => {
  const BOUNDS = { window: 1e6, keep: 1e6 }

  test('passes over what is no JSON and tells of it; our secrets are struck out', async () => {
    using folder = tempFolder()
    const token = `gcs_${'a'.repeat(64)}`
    const path = write(folder.at('log'), `${jsonl(claude.user('u1', null, `use ${token}`, 1))}rubbish\n[1]\n`)
    const log = new JsonlLog(path, () => new Claude(), BOUNDS)
    await log.refresh()
    expect(log.troubles).toMatchObject([{ code: 'malformed_line', count: 2 }])
    expect(JSON.stringify(log.view.entries[0]?.raw)).not.toContain(token)
  })

  test('changes its stream and generation when the file is replaced', async () => {
    using folder = tempFolder()
    const log = new JsonlLog(
      write(folder.at('log'), jsonl(claude.user('u1', null, 'a', 1))),
      () => new Claude(),
      BOUNDS,
    )
    await log.refresh()
    const { stream } = log
    renameSync(write(folder.at('new'), jsonl(claude.user('u9', null, 'z', 1))), log.path)
    expect(await log.refresh()).toBe(true)
    expect(log.view.entries.map(({ id }) => id)).toEqual(['u9'])
    expect([log.generation, log.stream === stream]).toEqual([1, false])
  })

  test('keeps no more than its bound', async () => {
    using folder = tempFolder()
    const path = write(folder.at('log'), jsonl(claude.user('u0', null, 'x', 1)))
    const log = new JsonlLog(path, () => new Claude(), { window: 1e6, keep: 10_000 })
    for (let n = 1; n <= 200; n++) {
      append(path, claude.user(`u${n}`, `u${n - 1}`, 'x', n))
      await log.refresh()
    }
    expect(log.truncated).toBe(true)
    expect(log.view.entries.length).toBeLessThan(80)
    expect(log.view.entries.at(-1)?.id).toBe('u200')
  })
})
