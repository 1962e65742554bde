import { describe, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { ClaudeParser } from '../../../src/programs/claude/log.ts'
import { CodexParser } from '../../../src/programs/codex/log.ts'
import { fileWrittenSince } from '../../../src/programs/logs/finder.ts'
import { readHead } from '../../../src/programs/logs/head.ts'
import { JsonlLog } from '../../../src/programs/logs/jsonl-log.ts'
import { LineReader } from '../../../src/programs/logs/line-reader.ts'
import { tempFolder } from '../../support/folder.ts'
import { append, claude, jsonl, write } from '../samples.ts'

/** Reads what is new of a file: its lines as texts, and how it was found. */
async function read(file: LineReader) {
  const texts: string[] = []
  const chunk = await file.read((lines) => texts.push(...lines.map(({ text }) => text)))
  return chunk && { ...chunk, texts }
}

const ALL = { windowBytes: 1e6 }
const texts = async (file: LineReader) => (await read(file))?.texts

describe('a growing file', () => {
  test('is read once, from where the last read stopped', async () => {
    using folder = tempFolder()
    const path = write(folder.at('log'), 'one\ntwo\n')
    const file = new LineReader(path, ALL)
    expect(await texts(file)).toEqual(['one', 'two'])
    appendFileSync(path, 'three\nfo')
    expect(await texts(file)).toEqual(['three'])
    appendFileSync(path, 'ur\n')
    expect(await texts(file)).toEqual(['four'])
    expect(await texts(file)).toEqual([])
  })

  test('includes a complete last line without a line feed, and an incomplete one only when it is complete', async () => {
    using folder = tempFolder()
    const file = new LineReader(write(folder.at('log'), '{"a":1}\n{"b":'), ALL)
    expect(await texts(file)).toEqual(['{"a":1}'])
    appendFileSync(file.path, '2}')
    expect(await texts(file)).toEqual(['{"b":2}'])
    appendFileSync(file.path, '\n{"c":3}\n')
    expect(await texts(file)).toEqual(['{"c":3}'])
  })

  test('of any size is read from its end, starting with a complete line', async () => {
    using folder = tempFolder()
    const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n} ${'é'.repeat(40)}`)
    const file = new LineReader(write(folder.at('log'), `${lines.join('\n')}\n`), { windowBytes: 300_000 })
    const received = (await texts(file)) ?? []
    expect(file.truncated).toBe(true)
    expect(received).toEqual(lines.slice(-received.length))
    expect(received.length).toBeGreaterThan(3000)
  })

  test('that was replaced or rewritten is read from the start', async () => {
    using folder = tempFolder()
    const file = new LineReader(write(folder.at('log'), 'one\ntwo\n'), ALL)
    await read(file)
    renameSync(write(folder.at('new'), 'ten\neleven\ntwelve\n'), file.path)
    expect(await read(file)).toEqual({ isNewFile: true, hasMore: false, texts: ['ten', 'eleven', 'twelve'] })
    write(file.path, 'other\nwords, and more of them than before\n')
    expect(await read(file)).toMatchObject({ isNewFile: true, texts: ['other', 'words, and more of them than before'] })
    write(file.path, 'less\n')
    expect(await read(file)).toMatchObject({ isNewFile: true, texts: ['less'] })
    unlinkSync(file.path)
    expect(await read(file)).toBeUndefined()
    write(file.path, 'again\n')
    expect(await read(file)).toMatchObject({ isNewFile: true, texts: ['again'] })
  })

  test('is read from the start again when it is back after it was gone', async () => {
    using folder = tempFolder()
    const file = new LineReader(write(folder.at('log'), 'one\ntwo\n'), ALL)
    await read(file)
    renameSync(file.path, folder.at('moved'))
    symlinkSync(folder.at('moved'), file.path)
    expect(await read(file)).toBeUndefined()
    renameSync(folder.at('moved'), file.path)
    expect(await read(file)).toEqual({ isNewFile: true, hasMore: false, texts: ['one', 'two'] })
  })

  test('is read a window at a time, and a longer line as a whole', async () => {
    using folder = tempFolder()
    const file = new LineReader(write(folder.at('log'), 'first\n'), { windowBytes: 100_000 })
    await read(file)
    const long = 'x'.repeat(700_000)
    appendFileSync(file.path, `${`${'y'.repeat(999)}\n`.repeat(400)}${long}\nlast\n`)
    const received: string[] = []
    let reads = 0
    for (let more = true; more; reads++) {
      const part = await read(file)
      more = part?.hasMore ?? false
      received.push(...(part?.texts ?? []))
    }
    expect(received.map(({ length }) => length)).toEqual([...Array(400).fill(999), 700_000, 4])
    expect(reads).toBeGreaterThan(2)
  })

  test('that grew by more than a window is read again from its end, when that is requested', async () => {
    using folder = tempFolder()
    const file = new LineReader(write(folder.at('log'), 'first\n'), { windowBytes: 5000, skipsToEnd: true })
    await read(file)
    appendFileSync(file.path, `${'y'.repeat(99)}\n`.repeat(100))
    const chunk = await read(file)
    expect(chunk).toMatchObject({ isNewFile: true, hasMore: false })
    expect([chunk?.texts.length, file.truncated]).toEqual([50, true])
  })

  test('is resumed by a new reader where another stopped, unless it is another file', async () => {
    using folder = tempFolder()
    const path = write(folder.at('log'), '{"n":1}\n{"n":2}\n{"n":3}\n')
    const first = new JsonlLog(path, () => new CodexParser('k'), { windowBytes: 1e6, keepBytes: 10 })
    await first.refresh()
    const since = first.position
    expect(since?.offset).toBe(16)
    appendFileSync(path, '{"n":4}\n')
    expect(await texts(new LineReader(path, { windowBytes: 1e6, resumeFrom: since }))).toEqual(['{"n":3}', '{"n":4}'])
    const other = write(folder.at('other'), '{"n":1}\n{"n":2}\n{"n":3}\n')
    expect(await texts(new LineReader(other, { windowBytes: 1e6, resumeFrom: since }))).toHaveLength(3)
    expect(await texts(new LineReader(other, { windowBytes: 1e6, initialBytes: 16 }))).toEqual(['{"n":2}', '{"n":3}'])
  })

  test('that is opened in the middle of a line skips to the next line, however slowly that is written', async () => {
    using folder = tempFolder()
    const file = new LineReader(write(folder.at('log'), 'x'.repeat(5000)), { windowBytes: 1000 })
    expect(await texts(file)).toEqual([])
    appendFileSync(file.path, 'end of it}')
    expect(await texts(file)).toEqual([])
    appendFileSync(file.path, '\nwhole\n')
    expect(await texts(file)).toEqual(['whole'])
  })

  test('is never read through a link, from a folder, or from a pipe without a writer', async () => {
    using folder = tempFolder()
    write(folder.at('secret'), '{"a":1}\n')
    symlinkSync(folder.at('secret'), folder.at('link'))
    mkdirSync(folder.at('folder'))
    Bun.spawnSync(['mkfifo', folder.at('pipe')])
    for (const name of ['link', 'folder', 'pipe', 'none']) {
      expect(await read(new LineReader(folder.at(name), ALL))).toBeUndefined()
      expect(readHead(folder.at(name))).toBe('')
    }
    const names = ['secret', 'link', 'folder', 'pipe', 'none']
    expect(names.filter((name) => fileWrittenSince(folder.path, name, 0) !== undefined)).toEqual(['secret'])
  })
})

describe('a log of 50 MB', () => {
  const line = (n: number) => JSON.stringify(claude.says(`a${n}`, n === 0 ? '' : `a${n - 1}`, 'x'.repeat(700), n))
  const MB = 1 << 20

  /** Writes lines until there are so many bytes; returns their number. */
  function grow(path: string, from: number, bytes: number): number {
    let n = from
    for (let written = 0; written < bytes; ) {
      const part = Array.from({ length: 1000 }, () => `${line(n++)}\n`).join('')
      appendFileSync(path, part)
      written += part.length
    }
    return n
  }

  test('is read in chunks that yield to the event loop', async () => {
    using folder = tempFolder()
    const path = write(folder.at('log'), '')
    grow(path, 0, 50 * MB)
    let turns = 0
    let reading = true
    const turn = () => {
      turns++
      if (reading) setImmediate(turn)
    }
    setImmediate(turn)
    const pieces: number[] = []
    const held: boolean[] = []
    let before = -1
    await new LineReader(path, { windowBytes: 16 * MB }).read((lines) => {
      pieces.push(lines.reduce((sum, { size }) => sum + size, 0))
      held.push(turns === before)
      before = turns
    })
    reading = false
    expect(pieces.length).toBeGreaterThan(100)
    expect(Math.max(...pieces)).toBeLessThan(MB / 4)
    expect(held.filter(Boolean)).toEqual([])
  })

  test('is parsed in small steps, even where it branches', () => {
    const natives = Array.from({ length: 20_000 }, (_, n) => {
      const value = claude.user(`u${n}`, n === 0 ? null : `u${n - (n % 7 === 0 ? 2 : 1)}`, 'x', n)
      return { offset: n, size: 1, value }
    })
    const steps = new ClaudeParser().parse(natives)
    let count = 0
    for (let step = steps.next(); !step.done; step = steps.next()) count++
    expect(count).toBeGreaterThan((5 * natives.length) / 200)
  })

  test('of a running session is read completely, although little of it is kept', async () => {
    using folder = tempFolder()
    const path = write(folder.at('log'), '')
    const bounds = { windowBytes: MB, keepBytes: MB / 8 }
    const log = new JsonlLog(path, () => new ClaudeParser(), bounds)
    await log.refresh()
    const count = grow(path, 0, 50 * MB)
    const seen = new Set<string>()
    let most = 0
    do {
      await log.refresh()
      most = Math.max(most, log.snapshot.entries.length)
      for (const { id } of log.snapshot.entries) seen.add(id)
    } while (log.hasMore)
    expect(seen.size).toBe(count)
    expect(most * line(0).length).toBeLessThan(2 * MB)
    expect(await log.refresh()).toBe(false)
    expect(log.snapshot.entries.length * line(0).length).toBeLessThan(MB / 4)
    expect(log.snapshot.entries.at(-1)?.id).toBe(`a${count - 1}`)
  })
})

describe('a log of JSON lines', () => {
  const BOUNDS = { windowBytes: 1e6, keepBytes: 1e6 }

  test('skips lines that are not JSON and reports them, and redacts our tokens', async () => {
    using folder = tempFolder()
    const token = `gcs_${'a'.repeat(64)}`
    const path = write(folder.at('log'), `${jsonl(claude.user('u1', null, `use ${token}`, 1))}rubbish\n[1]\n`)
    const log = new JsonlLog(path, () => new ClaudeParser(), BOUNDS)
    await log.refresh()
    expect(log.diagnostics).toMatchObject([{ code: 'malformed_line', count: 2 }])
    expect(JSON.stringify(log.snapshot.entries[0]?.raw)).not.toContain(token)
  })

  test('changes its stream and generation when the file is replaced', async () => {
    using folder = tempFolder()
    const log = new JsonlLog(
      write(folder.at('log'), jsonl(claude.user('u1', null, 'a', 1))),
      () => new ClaudeParser(),
      BOUNDS,
    )
    await log.refresh()
    const { stream } = log
    renameSync(write(folder.at('new'), jsonl(claude.user('u9', null, 'z', 1))), log.path)
    expect(await log.refresh()).toBe(true)
    expect(log.snapshot.entries.map(({ id }) => id)).toEqual(['u9'])
    expect([log.generation, log.stream === stream]).toEqual([1, false])
  })

  test('keeps no more than its limit', async () => {
    using folder = tempFolder()
    const path = write(folder.at('log'), jsonl(claude.user('u0', null, 'x', 1)))
    const log = new JsonlLog(path, () => new ClaudeParser(), { windowBytes: 1e6, keepBytes: 10_000 })
    for (let n = 1; n <= 200; n++) {
      append(path, claude.user(`u${n}`, `u${n - 1}`, 'x', n))
      await log.refresh()
    }
    expect(log.truncated).toBe(true)
    expect(log.snapshot.entries.length).toBeLessThan(80)
    expect(log.snapshot.entries.at(-1)?.id).toBe('u200')
  })
})
