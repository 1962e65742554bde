import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperationCoverage } from '../support/coverage.ts'
import { errorOf, towns } from './town.ts'

const coverage = new OperationCoverage(({ tag }) => tag === 'packs')
const openTown = towns(coverage)

const CORE = 'https://github.com/gastownhall/gascity.git//internal/bootstrap/packs/core'

describe('the packs of a city', () => {
  test('are listed by name, with what city.toml puts in the place of pack.toml', async () => {
    await using town = await openTown()
    const { city } = town
    expect((await city.call('GET ~/packs')).body).toEqual({ packs: [] })
    const head = await city.head()
    const added = await city.call('POST ~/packs', { body: { source: CORE } })
    expect([added.status, added.body]).toEqual([201, { name: 'core', source: CORE, git_backed: true }])
    expect((await city.call('GET ~/packs')).body).toEqual({ packs: [{ name: 'core', source: CORE }] })
    expect((await city.call('DELETE ~/packs/core')).body).toEqual({ name: 'core' })
    expect((await city.recorded(head)).map(({ type, actor }) => [type, actor])).toEqual([
      ['config.changed', 'human'],
      ['config.changed', 'human'],
    ])
    expect((await city.call('GET ~/packs')).body).toEqual({ packs: [] })
    expect(await errorOf(city, 'DELETE ~/packs/core')).toStartWith('404 pack-not-found: ')
  })

  test('are added from public hosts only, and what is refused changes nothing', async () => {
    await using town = await openTown()
    const { city } = town
    const before = readFileSync(join(city.path, 'city.toml'), 'utf8')
    const refused: [Record<string, unknown>, number, string][] = [
      [{ source: './packs/extra', name: 'again' }, 400, 'local filesystem sources are not permitted over the API'],
      [{ source: './packs/extra', version: '^1.0' }, 400, 'local filesystem sources are not permitted over the API'],
      [{ source: 'file:///srv/x' }, 400, 'file:// sources are not permitted over the API'],
      [{ source: 'http://127.0.0.1/x.git' }, 400, '127.0.0.1 is an internal or non-public host'],
      [{ source: 'http://[::1]/x.git' }, 400, '::1 is an internal or non-public host'],
      [{ source: 'git@localhost:x.git' }, 400, 'localhost is an internal or non-public host'],
      [{ source: 'https://u:p@example.invalid/x.git' }, 400, 'a credential in the address'],
      [{ source: 'https://example.invalid/x.git#main' }, 400, 'give the branch or tag as a version'],
      [{ source: 'https://example.invalid/x.git', name: 'default-rig:x' }, 400, 'uses reserved prefix'],
      [{ source: 'https://packs.example.invalid/x.git', name: 'x' }, 502, 'there is no host packs.example.invalid'],
      [{ source: '' }, 422, 'validation failed'],
      [{ name: 'x' }, 422, 'validation failed'],
      [{ source: 'https://example.invalid/x.git', colour: 'red' }, 422, 'validation failed'],
    ]
    for (const [body, status, message] of refused) {
      const response = await city.call('POST ~/packs', { body: body as { source: string } })
      expect([body, response.status, JSON.stringify(response.body)]).toEqual([
        body,
        status,
        expect.stringContaining(message),
      ])
    }
    expect(
      JSON.stringify(
        (await city.call('POST ~/packs', { body: { source: 'https://u:p%40ss@example.invalid/x' } })).body,
      ),
    ).not.toContain('p%40ss')
    expect(readFileSync(join(city.path, 'city.toml'), 'utf8')).toBe(before)
  })

  test('have names of their own', async () => {
    await using town = await openTown()
    const { city } = town
    await city.call('POST ~/packs', { body: { source: CORE, name: 'mine' } })
    const body = { source: 'https://example.invalid/x.git', name: 'mine' }
    expect(await errorOf(city, 'POST ~/packs', { body })).toStartWith('409 conflict-wrong-state: ')
  })
})
