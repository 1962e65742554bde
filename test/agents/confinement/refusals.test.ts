import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { saidRefusals } from '../../../src/agents/confinement/output-denials.ts'
import { Refusals } from '../../../src/agents/confinement/refusals.ts'
import type { SessionRow } from '../../../src/work/sessions/table.ts'
import { tempFolder } from '../../support/folder.ts'

const NOON = Date.parse('2026-01-02T12:00:00Z')

/** Sentence about a session refused at these hours, in a run that began at noon. */
function told(refused: readonly [hour: number, call: string, target: string][], output = '', mode = 'default') {
  using folder = tempFolder()
  const own = folder.at('city', '.gc', 'confined', 'to-1')
  mkdirSync(own, { recursive: true })
  mkdirSync(folder.at('shared'))
  const denials = refused.map(([hour, call, target]) => ({
    ...{ call, target: target.replace('@', folder.path), count: 1 },
    lastAt: new Date(NOON + (hour - 12) * 3_600_000).toISOString(),
  }))
  writeFileSync(`${own}/denials.json`, JSON.stringify(denials))
  const row = { id: 'to-1', template: 'ann', workDir: folder.at('work'), confined: mode, wokeAt: NOON } as SessionRow
  const sentence = new Refusals({
    place: { path: folder.at('city'), home: folder.at('home') },
    config: { current: { rigs: [] } },
    confinable: () => undefined,
  }).sentence(row, output.replaceAll('@', folder.path))
  return sentence?.replaceAll(folder.path, '@')
}

describe('the report of a confined session that failed', () => {
  test('is the newest refusal that a line would allow, of the run that ended', () => {
    expect(
      told([
        [13, 'connect', 'example.com:443'],
        [14, 'connect', '127.0.0.1:5432'],
        [15, 'kill', 'process 1'],
        [11, 'connect', 'before.example.com:443'],
      ]),
    ).toBe(
      'its confinement refused it connect 127.0.0.1:5432: ports = [5432] in the confine table of ann allows it (gc session denials to-1)',
    )
    expect(told([[13, 'kill', 'process 1']])).toBe(
      'its confinement refused it kill process 1 (gc session denials to-1)',
    )
  })

  test('is what its program said of a file, where gc could open that and nothing else was refused', () => {
    const said = (access: string) =>
      `it said "permission denied" of @/shared, perhaps for its confinement: ${access} = ["@/shared"] in the confine table of ann allows it`
    expect(told([[11, 'connect', 'a.example.com:443']], 'ls: @/shared: Permission denied')).toBe(said('read'))
    expect(told([], "touch: cannot touch '@/shared': Permission denied\nbye")).toBe(said('write'))
    expect(told([], 'cat: @/work/file: Permission denied')).toBeUndefined()
    expect(told([], 'cat: @/nowhere/file: Permission denied')).toBeUndefined()
  })

  test('is the host that its program could not look up, where every network would let it', () => {
    const said = (host: string) =>
      `it could not look up ${host}: confined programs reach hosts by HTTPS_PROXY, which this one did not; mode = "network" in the confine table of ann lets it`
    for (const [line, host] of [
      ['curl: (6) Could not resolve host: a.example', 'a.example'],
      ['ssh: Could not resolve hostname git.example.com: Temporary failure in name resolution', 'git.example.com'],
      ['  cause: Error: getaddrinfo EAI_AGAIN api.example.com', 'api.example.com'],
      ['dial tcp: lookup b.example on 10.0.0.1:53: write: operation not permitted', 'b.example'],
      ["NameResolutionError: Failed to resolve 'c.example' ([Errno -3])", 'c.example'],
    ] as const)
      expect(told([], `first\n${line}\nlast`)).toBe(said(host))
    expect(told([], 'Could not resolve host: a.example', 'network')).toBeUndefined()
    expect(told([], 'could not resolve hosts of any kind')).toBeUndefined()
  })

  test('is nothing of one that is not confined, or was refused nothing', () => {
    expect(told([[13, 'connect', 'example.com:443']], '', 'off')).toBeUndefined()
    expect(told([], 'it just failed')).toBeUndefined()
  })

  test('never is what would void its confinement, nor longer than a line', () => {
    expect(told([[13, 'chmod', '@/home/token']])).toBe(
      'its confinement refused it chmod @/home/token (gc session denials to-1)',
    )
    expect(told([[13, 'connect', `${'a'.repeat(400)}.com:443`]])?.length).toBeLessThan(200)
    expect(told([], `cat: @/shared/${'a'.repeat(300)}: Permission denied`)).toBeUndefined()
  })
})

test('a program says that it may not open a file in many words', () => {
  const said = (line: string) => saidRefusals(line, '/work')
  expect(said('/bin/sh: 1: cannot create /srv/new: Permission denied')).toEqual([{ path: '/srv/new', access: 'write' }])
  expect(said("Error: EACCES: permission denied, open '/srv/file'")).toEqual([{ path: '/srv/file', access: 'read' }])
  expect(said('cat: ../srv/file: Permission denied')).toEqual([{ path: '/srv/file', access: 'read' }])
  expect(said("PermissionError: [Errno 13] Permission denied: '/srv/file'")).toEqual([
    { path: '/srv/file', access: 'read' },
  ])
  expect(said('Permission denied (publickey).')).toEqual([])
  expect(said('no such file: /srv/file')).toEqual([])
})
