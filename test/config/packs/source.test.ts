import { expect, test } from 'bun:test'
import { builtinPackOf } from '../../../src/config/packs/builtin-packs.ts'
import { parsePackSource } from '../../../src/config/packs/source.ts'

const git = (url: string, subpath = '', reference?: string) => ({
  ...{ kind: 'git', url, subpath },
  ...(reference !== undefined && { reference }),
})

test.each([
  ['https://example.com/packs.git', git('https://example.com/packs.git')],
  ['https://example.com/packs.git/', git('https://example.com/packs.git')],
  ['https://example.com/packs.git//roles/dev', git('https://example.com/packs.git', 'roles/dev')],
  ['https://example.com/packs.git//roles/dev/#v2', git('https://example.com/packs.git', 'roles/dev', 'v2')],
  ['http://example.com/packs.git#main', git('http://example.com/packs.git', '', 'main')],
  ['git@example.com:a/packs.git//roles', git('git@example.com:a/packs.git', 'roles')],
  ['ssh://git@example.com/a/packs.git//roles', git('ssh://git@example.com/a/packs.git', 'roles')],
  ['file:///srv/packs.git//roles', git('file:///srv/packs.git', 'roles')],
  ['github.com/a/packs//roles', git('https://github.com/a/packs', 'roles')],
  ['https://github.com/a/packs/tree/main/roles/dev', git('https://github.com/a/packs.git', 'roles/dev', 'main')],
  ['https://github.com/a/packs.git/tree/main', git('https://github.com/a/packs.git', '', 'main')],
  ['https://github.com/a/packs/blob/v1/roles/pack.toml', git('https://github.com/a/packs.git', 'roles', 'v1')],
  ['https://github.com/a/packs/blob/v1/pack.toml', git('https://github.com/a/packs.git', '', 'v1')],
  ['./packs/extra', { kind: 'local', path: './packs/extra' }],
  ['../../other', { kind: 'local', path: '../../other' }],
  ['/srv/packs/extra', { kind: 'local', path: '/srv/packs/extra' }],
  ['packs/github.com/extra', { kind: 'local', path: 'packs/github.com/extra' }],
])('reads the source %s', (source, expected) => {
  expect(parsePackSource(source)).toEqual(expected as ReturnType<typeof parsePackSource>)
})

test.each([
  ['', 'is empty; name a folder or the address of a repository'],
  ['https://', 'names no repository'],
  ['https://example.com/a.git//../b', 'names a folder outside its repository'],
  ['https://github.com/a/packs/tree/main/../../b', 'names a folder outside its repository'],
  ['https://example.com/a\u001b[2J.git', 'holds control characters'],
])('says why %p is not a source', (source, reason) => {
  expect(parsePackSource(source)).toEqual({ kind: 'invalid', reason })
})

test('a source has a bound', () => {
  expect(parsePackSource(`https://example.com/${'a'.repeat(3000)}`)).toMatchObject({
    reason: 'is longer than 2048 characters',
  })
})

test('gc answers the sources of core, bd and dolt itself, at any reference', () => {
  const answered = (source: string) => builtinPackOf(parsePackSource(source))
  expect(answered('https://github.com/gastownhall/gascity.git//internal/bootstrap/packs/core')).toBe('core')
  expect(answered('https://github.com/gastownhall/gascity/tree/main/internal/bootstrap/packs/core')).toBe('core')
  expect(answered('github.com/gastownhall/gascity//examples/bd#v1.2.0')).toBe('bd')
  expect(answered('git@github.com:gastownhall/gascity.git//examples/bd/dolt')).toBe('dolt')
  expect(answered('https://github.com/gastownhall/gascity.git//examples/gastown/packs/gastown')).toBeUndefined()
  expect(answered('https://github.com/somebody/gascity.git//examples/bd')).toBeUndefined()
  expect(answered('https://github.com/gastownhall/gascity.git//constructor')).toBeUndefined()
})
