import { describe, expect, test } from 'bun:test'
import { dirname, join, normalize } from 'node:path'
import { Glob } from 'bun'

interface Import {
  from: string
  to: string
  typeOnly: boolean
  lazy: boolean
}

const IMPORT = /^(?:import|export)\s+(type\s+)?(?:[\s\S]*?\sfrom\s+)?'([^']+)'|import\('([^']+)'\)/gm

async function imports(): Promise<Import[]> {
  const found: Import[] = []
  for await (const from of new Glob('{src,cli,tui}/**/*.{ts,tsx}').scan('.')) {
    for (const [, typed, target, lazily] of (await Bun.file(from).text()).matchAll(IMPORT)) {
      const named = target ?? lazily ?? ''
      const to = named.startsWith('.') ? normalize(join(dirname(from), named)) : named
      found.push({ from, to, typeOnly: typed !== undefined, lazy: lazily !== undefined })
    }
  }
  return found
}

const all = await imports()
const inside = (path: string, ...rooms: string[]) => rooms.some((room) => path.startsWith(`${room}/`))
const ours = (path: string) => inside(path, 'src', 'cli', 'tui')
const breaks = (room: string, allowed: (each: Import) => boolean) =>
  all
    .filter((each) => inside(each.from, room) && ours(each.to) && !allowed(each))
    .map(({ from, to }) => `${from} imports ${to}`)

describe('who may import what', () => {
  test('there is something to look at', () => {
    expect(all.length).toBeGreaterThan(100)
  })

  test('core knows no feature', () => {
    expect(breaks('src/core', ({ to }) => inside(to, 'src/core'))).toEqual([])
  })

  test('the server knows only core', () => {
    expect(breaks('src/server', ({ to }) => inside(to, 'src/server', 'src/core'))).toEqual([])
  })

  test('the runtime knows only core, and a provider by its shape', () => {
    const allowed = ({ to, typeOnly }: Import) =>
      inside(to, 'src/runtime', 'src/core') || (typeOnly && inside(to, 'src/city/providers'))
    expect(breaks('src/runtime', allowed)).toEqual([])
  })

  test('the network knows only core and server', () => {
    expect(breaks('src/social', ({ to }) => inside(to, 'src/social', 'src/server', 'src/core'))).toEqual([])
  })

  test('a city knows core, server and runtime, and not who runs it', () => {
    expect(breaks('src/city', ({ to }) => inside(to, 'src/city', 'src/core', 'src/server', 'src/runtime'))).toEqual([])
  })

  test('the client sees wire shapes, as types, and nothing else', () => {
    const allowed = ({ to, typeOnly }: Import) =>
      inside(to, 'src/client') || (typeOnly && /(schema|event)\.ts$/.test(to))
    expect(breaks('src/client', allowed)).toEqual([])
  })

  test('cli and tui see the client; what they start they load when asked to', () => {
    const wire = ({ to, typeOnly }: Import) => inside(to, 'src/client') || (typeOnly && to.endsWith('schema.ts'))
    expect(breaks('tui', (each) => wire(each) || inside(each.to, 'tui'))).toEqual([])
    const starts = ({ to, lazy, typeOnly }: Import) =>
      (lazy || typeOnly) && inside(to, 'src/supervisor', 'src/runtime', 'tui')
    expect(breaks('cli', (each) => wire(each) || starts(each) || inside(each.to, 'cli'))).toEqual([])
  })

  test('a table belongs to its folder', () => {
    const foreign = all.filter(
      ({ from, to, typeOnly }) =>
        !typeOnly && /^src\/(city|social|supervisor)\/.*\/table\.ts$/.test(to) && dirname(from) !== dirname(to),
    )
    expect(foreign.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  test('routes know their service by type only, and no database', () => {
    const wrong = all.filter(
      ({ from, to, typeOnly }) =>
        from.endsWith('/routes.ts') &&
        (/drizzle|bun:sqlite|core\/store/.test(to) || (ours(to) && !typeOnly && /\/table\.ts$/.test(to))),
    )
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  test('only the server room knows Elysia', () => {
    const elysia = all.filter(({ from, to }) => to === 'elysia' && !inside(from, 'src/server', 'src/social'))
    expect(elysia.map(({ from }) => from)).toEqual([])
  })

  test('nothing is a default export, and no file has outgrown its idea', async () => {
    const wrong: string[] = []
    for await (const path of new Glob('{src,cli,tui}/**/*.{ts,tsx}').scan('.')) {
      const text = await Bun.file(path).text()
      if (/^export default/m.test(text)) wrong.push(`${path} has a default export`)
      if (text.split('\n').length > 300) wrong.push(`${path} is longer than 300 lines`)
    }
    expect(wrong).toEqual([])
  })
})
