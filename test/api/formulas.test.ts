import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorOf, type Town, towns } from './town.ts'

const openTown = towns()

const LINE =
  'formula = "line"\ndescription = "two steps"\n[requires]\nformula_compiler = ">=2.0.0"\n' +
  '[vars.topic]\ndescription = "subject"\nenum = ["roads", "bridges"]\ndefault = "bridges"\n' +
  '[vars.who]\nrequired = true\npattern = "^[a-z]+$"\n' +
  '[[steps]]\nid = "plan"\ntitle = "Plan {{topic}}"\ntags = ["t"]\nassignee = "{{who}}"\nmetadata = { x = "1" }\n' +
  'retry = { max_attempts = 2 }\n[[steps]]\nid = "build"\ntitle = "Build for {{convoy_id}}"\nneeds = ["plan"]\n' +
  'metadata = { "gc.scope_ref" = "b" }\nnotes = "n"\npriority = 1\n'

const scoped = ({ city }: Town) => `scope_kind=city&scope_ref=${city.name}`
const put = ({ city }: Town, name: string, text: string) => city.call(`PUT ~/formulas/${name}`, { raw: text })

describe('a formula of a city', () => {
  test('is saved, shown, saved again and deleted, each with one event', async () => {
    await using town = await openTown()
    const { city } = town
    const saved = await city.types(async () => {
      expect((await put(town, 'line', LINE)).body).toEqual({ status: 'saved' })
      expect((await put(town, 'line', `# more\n${LINE}`)).body).toEqual({ status: 'saved' })
    })
    expect(saved).toEqual(['formula.changed', 'formula.changed'])
    expect(readFileSync(join(city.path, 'formulas/line.toml'), 'utf8')).toBe(`# more\n${LINE}`)
    expect((await city.call('GET ~/formulas/line/source')).body).toEqual({ name: 'line', source: `# more\n${LINE}` })
    const [summary] = (await city.call(`GET ~/formulas?${scoped(town)}`)).body.items
    expect(summary).toMatchObject({ name: 'line', description: 'two steps', run_count: 0, recent_runs: [] })
    const head = await city.head()
    expect((await city.call('DELETE ~/formulas/line')).body).toEqual({ status: 'deleted' })
    const [deleted] = await city.recorded(head)
    expect(deleted).toMatchObject({
      type: 'formula.changed',
      actor: 'human',
      payload: { name: 'line', change: 'deleted' },
    })
    expect(await errorOf(city, 'DELETE ~/formulas/line')).toStartWith('404 formula-not-found: ')
    expect(existsSync(join(city.path, 'formulas/line.toml'))).toBe(false)
  })

  test('that is wrong is not saved, and validate says the same with lines', async () => {
    await using town = await openTown()
    const { city } = town
    const wrong: [name: string, text: string, error: string][] = [
      ['line', LINE.replace('title = "Plan {{topic}}"\n', ''), 'line 13, step plan: title is missing'],
      ['other', LINE, 'formula name "line" does not match path name "other"'],
      ['feed', LINE, 'formula name "feed" is reserved'],
      ['-x', LINE, 'invalid formula name "-x"'],
      ['line', 'formula = "line"\nextends = ["zz"]\n', 'there is no formula "zz"'],
    ]
    const types = await city.types(async () => {
      for (const [name, text, error] of wrong) {
        const { status, body } = await put(town, name, text)
        expect([status, body.code]).toEqual([400, 'invalid-request'])
        expect(body.detail).toContain(error)
        const judged = await city.call(`POST ~/formulas/${name}/validate`, { raw: text })
        expect(judged.body).toEqual({ valid: false, errors: [expect.stringContaining(error)] })
      }
      expect((await city.call('POST ~/formulas/line/validate', { raw: LINE })).body).toEqual({ valid: true })
      expect((await put(town, 'line', '')).status).toBe(400)
      expect((await put(town, 'line', `${LINE}#${'x'.repeat(1024 * 1024)}`)).status).toBe(413)
    })
    expect(types).toEqual([])
    expect(existsSync(join(city.path, 'formulas'))).toBe(false)
  })

  test('is never written through a symbolic link', async () => {
    await using town = await openTown()
    const { city, world } = town
    mkdirSync(join(city.path, 'formulas'))
    writeFileSync(world.folder.at('elsewhere.toml'), 'mine')
    symlinkSync(world.folder.at('elsewhere.toml'), join(city.path, 'formulas/line.toml'))
    expect((await put(town, 'line', LINE)).status).toBe(400)
    expect(readFileSync(world.folder.at('elsewhere.toml'), 'utf8')).toBe('mine')
  })
})

describe('the compilation of a formula', () => {
  test('is shown with defaults in titles, and previewed with variables that are checked', async () => {
    await using town = await openTown()
    const { city } = town
    await put(town, 'line', LINE)
    const query = `${scoped(town)}&target=worker`
    const { body } = await city.call(`GET ~/formulas/line?${query}`)
    expect(body.steps.map(({ id, title, kind }: Record<string, string>) => [id, title, kind])).toEqual([
      ['line.plan.attempt.1', 'Plan bridges', 'task'],
      ['line.plan', 'Plan bridges', 'retry'],
      ['line.build', 'Build for preview-input-convoy:worker', 'task'],
    ])
    expect(body.preview.nodes[2]).toMatchObject({ scope_ref: 'b' })
    expect((await city.call(`GET ~/formula/line?${query}`)).body).toEqual(body)
    const preview = (vars: Record<string, string>) =>
      city.call('POST ~/formulas/line/preview', {
        body: { target: 'worker', scope_kind: 'city', scope_ref: city.name, vars },
      })
    expect((await preview({ who: 'ann', topic: 'roads' })).body.steps[0].title).toBe('Plan roads')
    await put(
      town,
      'full',
      'formula = "full"\ndescription = "For {{who}}"\n[vars.who]\nrequired = true\n' +
        '[[steps]]\nid = "a"\ntitle = "{{ who }}"\nassignee = "{{who}}"\ntags = ["t-{{who}}"]\nmetadata = { k = "{{ who }} {{none}}" }\n',
    )
    const full = { target: 'worker', scope_kind: 'city', scope_ref: city.name, vars: { who: 'Vue {{path}}' } }
    expect((await city.call('POST ~/formulas/full/preview', { body: full })).body).toMatchObject({
      description: 'For Vue {{path}}',
      steps: [
        {
          ...{ title: 'Vue {{path}}', assignee: 'Vue {{path}}', labels: ['t-Vue {{path}}'] },
          metadata: { k: 'Vue {{path}} {{none}}' },
        },
      ],
    })
    expect((await preview({})).body.detail).toContain('variable "who" is required')
    expect((await preview({ who: '7', topic: 'x' })).body.detail).toContain('is not one of roads, bridges')
    expect((await preview({ who: 'a', convoy_id: 'x' })).status).toBe(400)
    expect((await preview({ who: 'a'.repeat(70_000) })).status).toBe(422)
  })

  test('is shown whole, with the file and its hash', async () => {
    await using town = await openTown()
    const { city } = town
    await put(town, 'line', LINE)
    await put(
      town,
      'warned',
      'formula = "warned"\n[[steps]]\nid = "a"\ntitle = "A"\n[[compose.gate]]\nbefore = "a"\ncondition = "a.status == \'x\'"\n',
    )
    const { body } = await city.call('POST ~/formulas/line/compile', { body: { vars: { who: 'ann' } } })
    expect(body).toMatchObject({ contract: 'v2', shape: 'graph', source: join(city.path, 'formulas/line.toml') })
    expect(body.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(body.steps[0]).toMatchObject({ id: 'line', is_root: true, priority: 2 })
    expect(body.deps.at(-1)).toEqual({ step_id: 'line', depends_on_id: 'line.workflow-finalize', type: 'blocks' })
    const warned = await city.call('POST ~/formulas/warned/compile', { body: {} })
    expect(warned.body.warnings).toEqual([expect.objectContaining({ line: 5, step: 'a' })])
    expect(await errorOf(city, 'POST ~/formulas/line/compile', { body: { rig: 'zz' } })).toStartWith(
      '404 rig-not-found',
    )
  })

  test('of a formula that is not there, or that others use, is an error', async () => {
    await using town = await openTown()
    const { city } = town
    await put(town, 'list', 'formula = "list"\ntype = "expansion"\n[[template]]\nid = "{target}.a"\ntitle = "A"\n')
    const query = `${scoped(town)}&target=worker`
    expect(await errorOf(city, `GET ~/formulas/nope?${query}`)).toStartWith(
      '400 invalid-request: formula "nope" not found',
    )
    expect(await errorOf(city, `GET ~/formulas/list?${query}`)).toStartWith('404 formula-not-found: ')
    expect((await city.call(`GET ~/formulas?${scoped(town)}`)).body.total).toBe(0)
  })
})

test('one broken file hides no other, and is listed with what is wrong', async () => {
  await using town = await openTown()
  const { city } = town
  await put(town, 'line', LINE)
  writeFileSync(join(city.path, 'formulas/broken.toml'), 'formula = "broken"\n[[steps]]\nid = "a"\n')
  const { body } = await city.call(`GET ~/formulas?${scoped(town)}`)
  expect(body.partial).toBe(true)
  expect(body.items.map(({ name, description }: Record<string, string>) => [name, description])).toEqual([
    [
      'broken',
      'cannot be read: formulas/broken.toml:3: step "a": title is missing: only a step with expand may lack it',
    ],
    ['line', 'two steps'],
  ])
  await put(
    town,
    'sold',
    'formula = "sold"\n[catalog]\nname = "sold"\ndescription = "buy"\n[[steps]]\nid = "a"\ntitle = "A"\ncondition = "{{v}}"\n[[steps]]\nid = "b"\ntitle = "B"\nneeds = ["a"]\n',
  )
  const reports = (await city.call('GET ~/formula-files')).body
  expect(reports.formulas).toEqual([
    expect.objectContaining({ name: 'broken', errors: [expect.objectContaining({ line: 3, step: 'a' })] }),
    expect.objectContaining({ name: 'line', type: 'workflow', errors: [] }),
    expect.objectContaining({
      catalog: { name: 'sold', description: 'buy' },
      warnings: [expect.objectContaining({ step: 'b' })],
    }),
  ])
})

test('a scope is named whole, and is one that there is', async () => {
  await using town = await openTown()
  const { city } = town
  const errors: [query: string, error: string][] = [
    ['', '400 invalid-request: scope_kind and scope_ref are required'],
    ['?scope_kind=city', '400 invalid-request: scope_kind and scope_ref must be provided together'],
    [`?scope_kind=moon&scope_ref=${city.name}`, "400 invalid-request: scope_kind must be 'city' or 'rig'"],
    ['?scope_kind=city&scope_ref=other', '404 scope-not-found: city scope other not found'],
    ['?scope_kind=rig&scope_ref=none', '404 scope-not-found: rig scope none not found'],
  ]
  for (const [query, error] of errors) {
    for (const path of ['formulas', 'formulas/feed', 'formulas/line/runs']) {
      expect([path, await errorOf(city, `GET ~/${path}${query}`)]).toEqual([path, error])
    }
  }
  const empty = await city.call(`GET ~/formulas/line/runs?${scoped(town)}`)
  expect(empty.body).toEqual({ formula: 'line', run_count: 0, recent_runs: [], partial: false })
  expect((await city.call(`GET ~/formulas/feed?${scoped(town)}&limit=9999`)).body).toEqual({
    items: [],
    partial: false,
  })
})
