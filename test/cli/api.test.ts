import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

const api = (...args: string[]) => town.gc(['api', ...args])

describe('gc api', () => {
  test('sends fields as JSON by POST, texts and values, for the city to work in', async () => {
    const { status, out } = await api(
      '~/beads',
      '-f',
      'title=1',
      '-F',
      'priority=2',
      '-f',
      'labels[]=a',
      '-f',
      'metadata[size]=8',
    )
    expect(status).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ title: '1', priority: 2, labels: ['a'], metadata: { size: '8' } })
    const listed = await api('/v0/city/{city}/beads', '-X', 'get', '-F', 'limit=1', '-i')
    expect(listed.out).toMatch(/^HTTP\/1\.1 200 OK\n(?:[\w-]+: .*\n)+\n\{"items"/)
  })

  test('reads a body and a field from a file, and takes a home that the shell put for ~', async () => {
    writeFileSync(town.at('town', 'body.json'), '{"title":"file"}')
    expect(JSON.parse((await api('~/beads', '--input', 'body.json')).out)).toMatchObject({ title: 'file' })
    const field = await town.gc(['api', '/home/ann/beads', '-F', 'title=@body.json'], { env: { HOME: '/home/ann' } })
    expect(JSON.parse(field.out)).toMatchObject({ title: '{"title":"file"}' })
  })

  test('reads every page of a list', async () => {
    const { out } = await api('~/beads', '--paginate', '-X', 'GET', '-f', 'limit=1')
    const pages = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).items.length)
    expect(pages.length).toBeGreaterThan(2)
  })

  test('prints an error as it came and ends with status 1 and its sentence', async () => {
    const { status, out, err } = await api('~/bead/none')
    expect({ status, body: JSON.parse(out).code }).toEqual({ status: 1, body: 'bead-not-found' })
    expect(err).toBe('gc: bead none does not exist (HTTP 404)\n')
    expect(await api('/nowhere')).toMatchObject({ status: 1, err: expect.stringContaining('(HTTP 404)') })
  })

  test('prints the frames of a stream as they come', async () => {
    const end = new AbortController()
    const onOutput = (out: string) => out.includes('bead.created') && end.abort()
    const streaming = town.gc(['api', '~/events/stream?after_seq=0'], {
      signal: AbortSignal.any([end.signal, AbortSignal.timeout(10_000)]),
      onOutput,
    })
    await town.bead('Paint')
    expect((await streaming).out).toMatch(/event: [\s\S]*data: \{/)
  })

  test.each([
    'http://example.com/v0/cities',
    'http://127.0.0.1:1/v0/cities',
    'file:///etc/passwd',
    'http://user:word@127.0.0.1/v0',
  ])('sends nothing to %s', async (path) => {
    const { status, err } = await api(path)
    expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining('its token goes nowhere else') })
  })

  test('takes no token as an argument, and stays at its supervisor whatever the path begins with', async () => {
    const named = await api('-H', 'Authorization: Bearer x', '/v0/cities')
    expect(named).toMatchObject({ status: 2, err: expect.stringContaining('Other programs can read it here') })
    for (const path of ['//example.com/v0', '@example.com/', '\\example.com'])
      expect(await api(path)).toMatchObject({ status: 1, err: expect.stringContaining('HTTP 4') })
  })
})
