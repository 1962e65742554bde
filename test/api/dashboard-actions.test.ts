import { expect, test } from 'bun:test'
import { timers } from '../../cli/io/timers.ts'
import { cityActions } from '../../client/views/city-actions.ts'
import { type Action, confirmationOf, type Page, type Reach } from '../../client/views/page.ts'
import { pages } from '../../client/views/pages.ts'
import { Client } from '../../src/client/client.ts'
import { bindings, YIELDING } from '../../tui/state/keys.ts'
import { resolve } from '../support/schema.ts'
import { World } from '../support/world.ts'

type Json = Record<string, unknown>

/** Actions that end, hide or remove something ask first. */
const HURTS = /^(kill|close|suspend|delete|remove|stop|restart|cancel)/

/** A value with every field of its schema: one element in each list up to a depth, and `isOn` for each boolean. */
function sampleOf(document: Json, schema: Json, isOn: boolean, depth = 0): unknown {
  const sample = (inner: unknown) => sampleOf(document, Object(inner), isOn, depth + 1)
  if (depth > 12) return null
  if (typeof schema.$ref === 'string') return sample(resolve(document, schema.$ref))
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const [choice] = [schema.anyOf ?? schema.oneOf ?? []].flat()
  if (choice) return sample(choice)
  if (Array.isArray(schema.allOf)) return Object.assign({}, ...schema.allOf.map(sample))
  const [type] = [schema.type].flat()
  if (type === 'object')
    return Object.fromEntries(Object.entries(Object(schema.properties)).map(([name, each]) => [name, sample(each)]))
  if (type === 'array') return depth > 8 ? [] : [sample(schema.items)]
  if (type === 'boolean') return isOn
  if (type === 'integer' || type === 'number') return 1
  return schema.format === 'date-time' ? '2026-01-02T03:04:05Z' : type === 'string' ? 'x' : null
}

/** Answers every reading operation of these documents with a sample. */
function serveSamples(documents: readonly Json[], isOn: boolean) {
  const answers = documents.flatMap((document) =>
    Object.entries(Object(document.paths)).flatMap(([path, item]) => {
      const schema = Object(item).get?.responses?.['200']?.content?.['application/json']?.schema
      return schema ? [{ document, schema, path: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`) }] : []
    }),
  )
  const fetch = ({ url }: Request): Response => {
    const found = answers.find(({ path }) => path.test(new URL(url).pathname))
    const headers = { 'X-GC-Request-Id': 'r' }
    if (!found) return Response.json({ detail: 'no sample' }, { status: 404, headers })
    return Response.json(sampleOf(found.document, found.schema, isOn), { headers })
  }
  const server = Bun.serve({ port: 0, fetch })
  return { url: server.url.origin, [Symbol.asyncDispose]: () => server.stop(true) }
}

/** Possible actions on a page, with its first row selected and on its subject. */
async function actionsOf(page: Page, reach: Reach): Promise<readonly Action[]> {
  const own = page.actions?.({ page: page.name, city: 'x', subject: 'x' }) ?? []
  if (page.kind === 'overview') return own
  if (page.kind === 'text') return [...((await page.load(reach)).actions ?? []), ...own]
  const { items, actions = [] } = await page.load(reach, { cursor: undefined, filter: '', sort: undefined })
  return [...(items[0]?.actions() ?? []), ...actions, ...own]
}

/** Problems of actions that are possible together, a sentence each. */
function problemsOf(actions: readonly Action[]): string[] {
  const taken = new Set(bindings.flatMap(({ verb, keys }) => (YIELDING.has(verb) ? [] : keys)))
  return actions.flatMap((action, at) => {
    const { key, name, help, disabled } = action
    const others = actions.slice(0, at)
    return [
      ...(key === '' || taken.has(key) ? [`${name} has no key of its own: "${key}"`] : []),
      ...(others.some((other) => other.key === key) ? [`${name} shares the key ${key}`] : []),
      ...(others.some((other) => other.name === name) ? [`two are called ${name}`] : []),
      ...(help.trim() === '' ? [`${name} has no help`] : []),
      ...(disabled?.trim() === '' ? [`${name} does not say why it is disabled`] : []),
      ...(HURTS.test(name) && !confirmationOf(action, {}).includes('?') ? [`${name} is not asked about`] : []),
    ]
  })
}

test('every action has a key of its page alone, help, a reason when it is disabled, and a question when it hurts', async () => {
  await using world = await World.open()
  const documents = await Promise.all(
    ['/openapi.json', '/api/v1/openapi.json'].map(async (path) => {
      const headers = { authorization: `Bearer ${world.operatorToken}` }
      return Object(await (await fetch(world.url + path, { headers })).json())
    }),
  )
  const problems: string[] = []
  let count = 0
  for (const isOn of [false, true]) {
    await using server = serveSamples(documents, isOn)
    const client = new Client({ url: server.url, token: undefined })
    const machine = { diagnose: async () => [], async *followLog() {} }
    const reach = { client, machine, timers, city: client.city('x'), subject: 'x' }
    for (const page of pages) {
      const actions = await actionsOf(page, reach).catch((error) => {
        problems.push(`${page.name} is not read: ${error}`)
        return []
      })
      count += actions.length
      problems.push(...problemsOf(actions).map((problem) => `${page.name}: ${problem}`))
    }
  }
  expect([...new Set(problems)]).toEqual([])
  expect(count).toBeGreaterThan(100)
  expect(new Set(cityActions.map(({ name }) => name)).size).toBe(cityActions.length)
}, 60_000)
