import { describe, expect, test } from 'bun:test'
import { edgesOf, recipeOf, refsOf, steps, v1, v2 } from './files.ts'

const CHECK = '[steps.check]\nmax_attempts = 2\n[steps.check.check]\npath = "check.sh"\n'

describe('the root of a recipe', () => {
  test('is a molecule for steps without requirement', () => {
    const { shape, contract, root } = recipeOf(v1(`description = "what"\n${steps('a')}`))
    expect([shape, contract]).toEqual(['molecule', 'v1'])
    expect(root).toEqual({
      ...{ title: 'f', description: 'what', type: 'molecule', priority: 2 },
      metadata: { 'gc.formula_name': 'f' },
    })
  })

  test('is a wisp when the formula is vapor, unless it is poured', () => {
    const { shape, root, steps: written } = recipeOf(v1(`phase = "vapor"\n${steps('a')}`))
    expect([shape, root.type, root.metadata['gc.kind'], written.length]).toEqual(['wisp', 'task', 'wisp', 1])
    expect(recipeOf(v1(`phase = "vapor"\npour = true\n${steps('a')}`)).shape).toBe('molecule')
  })

  test('is a wisp when no step is left', () => {
    const text = v1('[vars]\nv = "no"\n[[steps]]\nid = "a"\ntitle = "a"\ncondition = "{{v}}"\n')
    expect(recipeOf(text).shape).toBe('wisp')
  })

  test('is a workflow for a formula that asks for graphs, in either way', () => {
    for (const text of [v2(steps('a')), v1(`contract = "graph.v2"\n${steps('a')}`)]) {
      const { shape, root } = recipeOf(text)
      expect([shape, root.type, root.metadata['gc.kind']]).toEqual(['graph', 'task', 'workflow'])
    }
  })

  test('takes its title and description from the variables title and desc', () => {
    const { root } = recipeOf(v1(`[vars]\ntitle = "T"\ndesc = "D"\n${steps('a')}`))
    expect([root.title, root.description]).toEqual(['{{title}}', '{{desc}}'])
  })
})

describe('a molecule', () => {
  test('has children under their parents, an epic', () => {
    const text = v1(
      `${steps('p')}[[steps.children]]\nid = "k"\ntitle = "K"\n[[steps.children]]\nid = "l"\ntitle = "L"\nneeds = ["k"]\n`,
    )
    const recipe = recipeOf(text)
    expect(recipe.steps.map(({ id, type, parent }) => [id, type, parent])).toEqual([
      ['f.p', 'epic', undefined],
      ['f.p.k', 'task', 'f.p'],
      ['f.p.l', 'task', 'f.p'],
    ])
    expect(edgesOf(recipe)).toEqual(['p.k>p.l'])
  })

  test('has a gate beside its step, which blocks it', () => {
    const text = v1(`${steps('m', 'a<m')}[steps.gate]\ntype = "timer"\nid = "rest"\ntimeout = "10m"\n`)
    const recipe = recipeOf(text)
    expect(recipe.steps[2]).toMatchObject({
      ...{ id: 'f.gate-a', title: 'Gate: timer rest', type: 'gate', description: 'Async gate for step a' },
      gate: { type: 'timer', id: 'rest', timeout: '10m' },
    })
    expect(edgesOf(recipe)).toEqual(['gate-a>a', 'm>a'])
  })

  test('has a label and edges for waits_for', () => {
    const waiting = recipeOf(v1(`${steps('m', 'a<m')}waits_for = "all-children"\n`))
    expect(waiting.steps[1]?.labels).toEqual(['gate:all-children'])
    expect(edgesOf(waiting)).toEqual(['m>a', 'm~a'])
    expect(waiting.deps[1]?.metadata).toEqual({ gate: 'all-children' })
    expect(edgesOf(recipeOf(v1(`${steps('m', 'a')}waits_for = "children-of(m)"\n`)))).toEqual(['m~a'])
  })
})

describe('a graph', () => {
  test('ends in a control that waits for all that nothing waits for, and the root waits for it', () => {
    const recipe = recipeOf(v2(steps('c<b', 'a', 'b<a', 'd')))
    expect(refsOf(recipe)).toEqual(['a', 'b', 'c', 'd', 'workflow-finalize'])
    expect(edgesOf(recipe)).toEqual([
      'b>c',
      'a>b',
      'c>workflow-finalize',
      'd>workflow-finalize',
      'workflow-finalize>(root)',
    ])
  })

  test('has a control, a spec and a first attempt for a retry', () => {
    const recipe = recipeOf(
      v2(
        `${steps('a', 'b<a')}metadata = { "gc.kind" = "cleanup", x = "1" }\nretry = { max_attempts = 3 }\n${steps('c<b')}`,
      ),
    )
    expect(refsOf(recipe)).toEqual(['a', 'b.spec', 'b.attempt.1', 'b', 'c', 'workflow-finalize'])
    expect(edgesOf(recipe).slice(0, 4)).toEqual(['a>b.attempt.1', 'a>b', 'b.attempt.1>b', 'b>c'])
    const [, spec, attempt, control] = recipe.steps
    expect(JSON.parse(spec?.description ?? '')).toEqual({
      ...{ id: 'b', title: 'b', metadata: { 'gc.kind': 'cleanup', x: '1' }, needs: ['a'], retry: { max_attempts: 3 } },
    })
    expect(spec?.metadata).toEqual({ 'gc.kind': 'spec', 'gc.spec_for': 'b', 'gc.spec_for_ref': 'f.b' })
    expect(attempt?.metadata).toEqual({
      ...{ 'gc.attempt': '1', 'gc.control_for': 'b', 'gc.kind': 'cleanup', 'gc.original_kind': 'cleanup' },
      ...{ 'gc.step_id': 'b', x: '1' },
    })
    expect(control?.metadata).toEqual({
      ...{ 'gc.control_epoch': '1', 'gc.kind': 'retry', 'gc.max_attempts': '3', 'gc.on_exhausted': 'hard_fail' },
      ...{ 'gc.original_kind': 'cleanup', 'gc.step_id': 'b', x: '1' },
    })
  })

  test('has a control and a first iteration for a check', () => {
    const recipe = recipeOf(v2(`${steps('w')}timeout = "5m"\n${CHECK}`))
    expect(refsOf(recipe)).toEqual(['w.spec', 'w.iteration.1', 'w', 'workflow-finalize'])
    expect(recipe.steps[1]?.metadata).toEqual({
      ...{ 'gc.attempt': '1', 'gc.control_for': 'w', 'gc.ralph_step_id': 'w', 'gc.step_id': 'w' },
      'gc.step_ref': 'w.iteration.1',
    })
    expect(recipe.steps[2]?.metadata).toEqual({
      ...{ 'gc.check_mode': 'exec', 'gc.check_path': 'check.sh', 'gc.check_timeout': '', 'gc.control_epoch': '1' },
      ...{ 'gc.kind': 'ralph', 'gc.max_attempts': '2', 'gc.step_id': 'w', 'gc.step_timeout': '5m' },
    })
  })

  test('has a scope for each iteration of a check with children', () => {
    const children =
      '[[steps.children]]\nid = "x"\ntitle = "X"\n[[steps.children]]\nid = "y"\ntitle = "Y"\nneeds = ["x"]\n'
    const recipe = recipeOf(v2(`${steps('a', 'g<a')}${CHECK}${children}`))
    const round = 'g.iteration.1'
    expect(refsOf(recipe)).toEqual([
      ...['a', 'g.spec', `${round}.x`, `${round}.x-scope-check`, `${round}.y`, `${round}.y-scope-check`, round, 'g'],
      'workflow-finalize',
    ])
    expect(edgesOf(recipe)).toContain(`a>${round}.x`)
    expect(recipe.steps[2]?.metadata).toEqual({
      ...{ 'gc.attempt': '1', 'gc.on_fail': 'abort_scope', 'gc.ralph_step_id': 'g', 'gc.scope_ref': round },
      ...{ 'gc.scope_role': 'member', 'gc.step_id': 'x', 'gc.step_ref': `${round}.x` },
    })
    expect(edgesOf(recipe).at(-2)).toBe('g>workflow-finalize')
  })

  test('has a control after each member of a scope, and steps wait for that', () => {
    const member = (id: string, needs: string, role = 'member') =>
      `${steps(`${id}<${needs}`)}metadata = { "gc.scope_ref" = "body", "gc.scope_role" = "${role}" }\n`
    const body = `${steps('body<one,two')}metadata = { "gc.kind" = "scope", "gc.scope_role" = "body" }\n`
    const recipe = recipeOf(
      v2(`${body}${member('one', '')}${member('two', 'one')}${member('clean', 'body', 'teardown')}`),
    )
    expect(refsOf(recipe)).toEqual([
      ...['one', 'one-scope-check', 'two', 'two-scope-check', 'body', 'clean', 'workflow-finalize'],
    ])
    expect(edgesOf(recipe)).toEqual([
      ...['one-scope-check>body', 'two-scope-check>body', 'one>one-scope-check', 'one-scope-check>two'],
      ...['two>two-scope-check', 'body>clean', 'body>workflow-finalize', 'clean>workflow-finalize'],
      'workflow-finalize>(root)',
    ])
  })

  test('has a control for a fan-out, which only the end waits for', () => {
    const fan = '[steps.on_complete]\nfor_each = "output.items"\nbond = "job"\nvars = { n = "{item.name}" }\n'
    const job = 'formula = "job"\ntype = "expansion"\n[[template]]\nid = "{target}.do"\ntitle = "Do {n}"\n'
    const recipe = recipeOf(v2(`${steps('s')}${fan}${steps('r<s')}`), { job })
    expect(edgesOf(recipe)).toEqual([
      ...['s>r', 's>s-fanout', 'r>workflow-finalize', 's-fanout>workflow-finalize', 'workflow-finalize>(root)'],
    ])
    expect(recipe.steps[2]?.metadata).toEqual({
      ...{ 'gc.bond': 'job', 'gc.bond_vars': '{"n":"{item.name}"}', 'gc.control_for': 's' },
      ...{ 'gc.fanout_mode': 'parallel', 'gc.for_each': 'output.items', 'gc.kind': 'fanout' },
    })
    expect(recipe.bonds.job).toMatchObject({ formula: 'job', steps: [{ id: '{target}.do', title: 'Do {n}' }] })
  })

  test('carries the recipes that its drains run', () => {
    const recipe = recipeOf(v2(`${steps('d')}drain = { formula = "unit" }\n`), {
      unit: v2(steps('do')).replace('"f"', '"unit"'),
    })
    expect(recipe.steps[0]).toMatchObject({
      kind: 'drain',
      metadata: {
        'gc.drain_context': 'separate',
        'gc.drain_member_access': 'read',
        'gc.drain_on_item_failure': 'continue',
      },
    })
    expect(recipe.items.unit?.formula).toBe('unit')
  })

  test('lets a parent wait for its children', () => {
    const recipe = recipeOf(v2(`${steps('p')}[[steps.children]]\nid = "k"\ntitle = "K"\n${steps('n<p')}`))
    expect(edgesOf(recipe).slice(0, 2)).toEqual(['p.k>p', 'p>n'])
  })
})

test('a recipe is the same after JSON', () => {
  const recipe = recipeOf(v2(`${steps('a')}retry = { max_attempts = 2 }\n${steps('w<a')}${CHECK}`))
  expect(JSON.parse(JSON.stringify(recipe))).toEqual(JSON.parse(JSON.stringify(structuredClone(recipe))))
  expect(Object.values(recipe.steps).every((step) => !Object.values(step).includes(undefined))).toBe(true)
})
