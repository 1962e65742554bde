import { describe, expect, test } from 'bun:test'
import { OperationCoverage } from '../support/coverage.ts'
import type { TestCity } from '../support/world.ts'
import { bead, declare, errorOf, startSession, towns } from './town.ts'

const coverage = new OperationCoverage(({ path }) =>
  /\/bead\/[^/]+\/comments$|\/beads\/(comments\/count|import)$/.test(path),
)
const openTown = towns(coverage)
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const KB = 1024

const comment = (city: TestCity, id: string, text: string, more: object = {}) =>
  city.call(`POST ~/bead/${id}/comments`, { body: { text }, ...more })

/** Comments as they are in an export of another city. */
const exportedBead = (id: string, comments: object[]) =>
  JSON.stringify({ id, title: 'told', created_at: '2025-01-01T00:00:00Z', comments })

describe('a comment', () => {
  test('is stored as it was written, recorded once, and does not change its bead', async () => {
    await using town = await openTown()
    const { city } = town
    const id = await bead(city, 'a')
    const before = (await city.call(`GET ~/bead/${id}`)).body
    const seq = await city.head()
    const text = 'Say “héllo” \u0000 🎉 <b>\nline two'
    const created = await comment(city, id, text)
    expect(created).toMatchObject({ status: 201 })
    expect(created.body).toEqual({
      id: expect.stringMatching(/^comment-[0-9a-f]{12}$/),
      issue_id: id,
      author: 'human',
      text,
      created_at: TIMESTAMP,
    })
    expect(await city.recorded(seq)).toMatchObject([
      { type: 'bead.commented', actor: 'human', subject: id, payload: { comment: created.body } },
    ])
    expect((await city.call(`GET ~/bead/${id}`)).body).toEqual(before)
    expect((await city.call(`GET ~/bead/${id}/comments`)).body).toEqual({ items: [created.body], total: 1 })
  })

  test('has the name of the session that wrote it, whatever the request says', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor', {}, { max_active_sessions: 1 })
    const { id: session, token } = await startSession(city, 'mayor', { alias: 'boss' })
    const id = await bead(city, 'a')
    await city.call(`POST ~/bead/${id}/close`)
    const seq = await city.head()
    expect((await comment(city, id, 'done', { token })).body).toMatchObject({ author: 'boss' })
    expect(await city.recorded(seq)).toMatchObject([{ type: 'bead.commented', actor: 'boss', session_id: session }])
    const forged = { token, body: { text: 'x', author: 'human' } }
    expect(await errorOf(city, `POST ~/bead/${id}/comments`, forged)).toStartWith('422 validation-failed: ')
  })

  test('is created once when the request is repeated', async () => {
    await using town = await openTown()
    const { city } = town
    const id = await bead(city, 'a')
    const headers = { 'Idempotency-Key': 'k' }
    const [first, again] = [await comment(city, id, 'x', { headers }), await comment(city, id, 'x', { headers })]
    expect([again.status, again.body]).toEqual([201, first.body])
    const other = { headers, body: { text: 'y' } }
    expect(await errorOf(city, `POST ~/bead/${id}/comments`, other)).toStartWith('422 idempotency-mismatch: ')
    expect((await city.call(`GET ~/bead/${id}/comments`)).body.total).toBe(1)
  })

  test('is rejected when it is too long or empty', async () => {
    await using town = await openTown()
    const { city } = town
    const id = await bead(city, 'a')
    const most = 'é'.repeat(32 * KB)
    expect((await comment(city, id, most)).status).toBe(201)
    const rejection = (body: object) => errorOf(city, `POST ~/bead/${id}/comments`, { body })
    expect(await rejection({ text: `${most}x` })).toBe('422 validation-failed: text is too long: at most 64 KB')
    expect(await rejection({ text: '' })).toStartWith('422 validation-failed: ')
    expect(await rejection({ text: ' \n' })).toBe('422 validation-failed: text must not be empty')
    expect(await rejection({})).toStartWith('422 validation-failed: ')
  })

  test('is rejected once its bead has a thousand comments, or a megabyte of them', async () => {
    await using town = await openTown()
    const { city } = town
    const many = Array.from({ length: 999 }, (_, n) => ({ text: `n${n}` }))
    await city.call('POST ~/beads/import', { raw: exportedBead('to-1', many) })
    expect((await comment(city, 'to-1', 'the last')).status).toBe(201)
    const full = '409 conflict-wrong-state: bead to-1 has all the comments it may have, 1,000 of them or 1 MB'
    expect(await errorOf(city, 'POST ~/bead/to-1/comments', { body: { text: 'one more' } })).toStartWith(full)
    const more = { raw: exportedBead('to-1', [{ text: 'one more' }]) }
    expect(await errorOf(city, 'POST ~/beads/import', more)).toStartWith(full)
    const id = await bead(city, 'big')
    for (let n = 0; n < 16; n++) expect((await comment(city, id, `${n}`.padEnd(64 * KB, 'x'))).status).toBe(201)
    expect(await errorOf(city, `POST ~/bead/${id}/comments`, { body: { text: 'x' } })).toStartWith('409 conflict-wr')
  })

  test('on an unknown bead is not found', async () => {
    await using town = await openTown()
    const { city } = town
    const gone = '404 bead-not-found: bead to-9 does not exist'
    expect(await errorOf(city, 'POST ~/bead/to-9/comments', { body: { text: 'x' } })).toBe(gone)
    expect(await errorOf(city, 'GET ~/bead/to-9/comments')).toBe(gone)
  })
})

describe('the comments on a bead', () => {
  test('are paged, oldest first, also while more are written', async () => {
    await using town = await openTown()
    const { city } = town
    const later = '2025-03-01T00:00:00Z'
    const from = [
      { text: 'third', author: 'bo', created_at: later },
      { text: 'first', author: 'bo', created_at: '2025-01-01T00:00:00Z' },
      { text: 'fourth', author: 'bo', created_at: later },
      { text: 'second', author: 'bo', created_at: '2025-02-01T00:00:00Z' },
    ]
    const done = { created: 1, updated: 0, unchanged: 0, skipped: 0, skips: {}, skipped_lines: [] }
    const seq = await city.head()
    expect((await city.call('POST ~/beads/import', { raw: exportedBead('to-1', from) })).body).toEqual(done)
    expect((await city.recorded(seq)).map(({ type }) => type)).toEqual([
      'bead.created',
      ...from.map(() => 'bead.commented'),
    ])
    const page = async (query: string) => (await city.call(`GET ~/bead/to-1/comments?limit=2${query}`)).body
    const texts = ({ items }: { items: { text: string }[] }) => items.map(({ text }) => text)
    const first = await page('')
    expect([texts(first), first.total]).toEqual([['first', 'second'], 4])
    await comment(city, 'to-1', 'fifth')
    const second = await page(`&cursor=${first.next_cursor}`)
    expect([texts(second), second.total]).toEqual([['third', 'fourth'], 5])
    const third = await page(`&cursor=${second.next_cursor}`)
    expect([texts(third), third.next_cursor]).toEqual([['fifth'], undefined])
    for (const cursor of ['garbage', 'e30', '%00', 'a'.repeat(3000)]) {
      expect(await errorOf(city, `GET ~/bead/to-1/comments?cursor=${cursor}`)).toStartWith('400 invalid-cursor: ')
    }
    expect(await errorOf(city, 'GET ~/bead/to-1/comments?limit=1001')).toStartWith('422 validation-failed: ')
  })

  test('are counted for many beads at the same time', async () => {
    await using town = await openTown()
    const { city } = town
    const [one, two, none] = [await bead(city, '1'), await bead(city, '2'), await bead(city, '3')]
    for (const id of [one, two, two]) await comment(city, id, 'x')
    const count = (ids: string[]) => city.call(`GET ~/beads/comments/count?ids=${ids.join(',')}`)
    expect((await count([one, two, none, 'to-99'])).body).toEqual({ counts: { [one]: 1, [two]: 2 } })
    expect((await count(Array.from({ length: 200 }, () => one))).body).toEqual({ counts: { [one]: 1 } })
    const tooMany = Array.from({ length: 201 }, () => one).join(',')
    expect(await errorOf(city, `GET ~/beads/comments/count?ids=${tooMany}`)).toBe(
      '422 validation-failed: ids names 201 beads: at most 200 per request',
    )
    expect((await city.call('GET ~/beads/comments/count')).body).toEqual({ counts: {} })
  })

  test('are exported and imported with their bead', async () => {
    await using from = await openTown()
    await using to = await openTown()
    const id = await bead(from.city, 'a')
    for (const text of ['one', 'two']) await comment(from.city, id, text)
    const file = (await from.city.call('GET ~/beads/export')).body
    await to.city.call('POST ~/beads/import', { raw: file })
    const list = async ({ city }: typeof to) => (await city.call(`GET ~/bead/${id}/comments`)).body
    expect(await list(to)).toEqual(await list(from))
    expect((await to.city.call('GET ~/beads/export')).body).toBe(file)
  })
})

describe('the operations on comments', () => {
  test('are covered with success and every declared error', () => {
    const elsewhere = ['import-beads invalid-request', 'import-beads forbidden']
    expect(coverage.uncovered().filter((unseen) => !elsewhere.includes(unseen))).toEqual([])
  })

  test('fill every response field', () => {
    const shapes = /^BeadComment/
    expect(coverage.emptyFields().filter((field) => shapes.test(field))).toEqual([
      'BeadCommentList.partial',
      'BeadCommentList.partial_errors',
    ])
  })
})
