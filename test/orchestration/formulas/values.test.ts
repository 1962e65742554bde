import { describe, expect, test } from 'bun:test'
import { expandAttempt } from '../../../src/orchestration/formulas/attempts.ts'
import { compile } from '../../../src/orchestration/formulas/compile.ts'
import { evaluate, parseStateCondition } from '../../../src/orchestration/formulas/conditions.ts'
import { expandFragment } from '../../../src/orchestration/formulas/fan-out.ts'
import type { Recipe, StepSpec } from '../../../src/orchestration/formulas/recipe.ts'
import { substitute } from '../../../src/orchestration/formulas/substitute.ts'
import { unknownVariables, validateVariables } from '../../../src/orchestration/formulas/variables.ts'
import { formulaFiles, recipeOf, steps, v1, v2 } from './files.ts'

const filled = (recipe: Recipe, extra = {}): Recipe => {
  const result = substitute(recipe, extra)
  if ('value' in result) return result.value
  throw new Error(result.errors.join('\n'))
}

describe('variables', () => {
  const variable = (keys: string) => v1(`[vars.x]\n${keys}\n${steps('a')}`)
  const problems = (keys: string, values = {}) => validateVariables(recipeOf(variable(keys), {}, values))

  test.each([
    ['required = true', {}, ['variable "x" is required']],
    ['required = true', { x: '' }, ['variable "x" is required']],
    ['required = true', { x: '1' }, []],
    ['default = "c"\nenum = ["a", "b"]', {}, ['variable "x": value "c" is not one of a, b']],
    ['enum = ["a", "b"]', { x: 'b' }, []],
    ['pattern = "^[0-9]+$"', { x: 'many' }, ['variable "x": value "many" does not match the pattern ^[0-9]+$']],
    ['pattern = "(?i)^(?P<n>[[:alpha:]]+)$"', { x: 'ABC' }, []],
    ['type = "int"\ndefault = "abc"', {}, []],
    ['default = 3\nenum = ["3"]', {}, []],
  ])('%s with %p: %p', (keys, values, expected) => {
    expect(problems(keys, values)).toEqual(expected)
  })

  test('a pattern takes time in proportion to the value', () => {
    expect(problems('pattern = "^(a+)+$"', { x: `${'a'.repeat(60_000)}b` })).toHaveLength(1)
  })

  test('hold 64 KB at most together, and may be ones that the formula does not know', () => {
    expect(problems('', { zzz: '1' })).toEqual([])
    expect(problems('', { zzz: 'x'.repeat(70_000) })[0]).toContain('70000 bytes: 65536 is the most')
  })
})

describe('variables that a formula does not know', () => {
  const job = 'formula = "job"\ntype = "expansion"\n[[template]]\nid = "{target}.x"\ntitle = "{{in_template}}"\n'
  const part =
    'formula = "part"\n[requires]\nformula_compiler = ">=2.0.0"\n[vars.in_drain]\n[[steps]]\nid = "p"\ntitle = "P"\n'
  const text = v2(
    '[vars.topic]\n[[steps]]\nid = "a"\ntitle = "A"\nexpand = "job"\n[[steps]]\nid = "b"\ntitle = "B"\ncondition = "{{ in_condition }}"\n' +
      'description_file = "b.md"\n[[steps]]\nid = "c"\ntitle = "C"\ndrain = { formula = "part" }\n' +
      '[[steps]]\nid = "l"\ntitle = "L"\n[steps.loop]\nrange = "1..{in_range}"\n[[steps.loop.body]]\nid = "s"\ntitle = "S"\n',
  )
  const result = compile(formulaFiles({ f: text, job, part }, { 'formulas/b.md': '{{in_file}}' }), 'f', {
    in_range: '1',
  })
  const known = 'known' in result ? result.known : []

  test('are those that neither it nor what it is made of names', () => {
    expect([...known].sort()).toEqual(['in_condition', 'in_drain', 'in_file', 'in_range', 'in_template', 'topic'])
  })

  test.each([
    [['topic', 'rig_name', 'issue'], []],
    [['topik'], ['unknown variable "topik"; did you mean "topic"?']],
    [
      ['zzz'],
      ['unknown variable "zzz"; the formula has in_condition, in_drain, in_file, in_range, in_template, topic'],
    ],
  ])('are named with the one that was meant: %p', (given, expected) => {
    expect(unknownVariables(given, [...known].sort())).toEqual(expected)
  })

  test('are named of a formula without variables', () => {
    expect(unknownVariables(['a'], [])).toEqual(['unknown variable "a"; the formula has no variables'])
  })
})

describe('substitution', () => {
  const text = v2(
    `[vars]\ny = "1"\nx = "{{y}}"\nq = '"'\n${steps('a').replace('title = "a"', 'title = "A {{y}}"')}` +
      'description = "{{x}} {{zz}} {{ y }} {{q}}"\ntags = ["{{y}}"]\nassignee = "w{{y}}"\nnotes = "n{{y}}"\n' +
      'metadata = { "{{y}}" = "{{y}}" }\n',
  )

  test('puts values in once, in every text but keys, and leaves what has none', () => {
    expect(filled(recipeOf(text)).steps[0]).toMatchObject({
      ...{ title: 'A 1', description: '{{y}} {{zz}} 1 "', labels: ['1'], assignee: 'w1', notes: 'n1' },
      metadata: { '{{y}}': '1' },
    })
  })

  const greeting = (value: string) =>
    filled(
      recipeOf(
        v1('[vars.name]\n[[steps]]\nid = "a"\ntitle = "Hi {{ name }}"\ndescription = "{{\tname }} {name}"\n'),
        {},
        { name: value },
      ),
    )

  test.each(['Vue {{path}} fix', '{{name}}', '{{ name }}', '{name} {target}', '$& $1', '\\', ''])(
    'takes a value as it is given: %p',
    (value) => {
      expect(greeting(value).steps[0]).toMatchObject({ title: `Hi ${value}`, description: `${value} {name}` })
    },
  )

  test('takes a value as it is given in a template, a loop and the items of a fan-out', () => {
    const job =
      'formula = "job"\ntype = "expansion"\n[vars]\nwho = ""\n[[template]]\nid = "{target}.x"\ntitle = "{who} {{name}}"\n'
    const text = v2(
      '[vars.name]\n[[steps]]\nid = "a"\ntitle = "A"\nexpand = "job"\nexpand_vars = { who = "{{name}}" }\n' +
        '[[steps]]\nid = "l"\ntitle = "L"\n[steps.loop]\nrange = "1..1"\nvar = "i"\n[[steps.loop.body]]\nid = "s"\ntitle = "{i} {{name}}"\n' +
        '[[steps]]\nid = "f"\ntitle = "F"\n[steps.on_complete]\nfor_each = "output.x"\nbond = "job"\nvars = { who = "{item}" }\n',
    )
    const value = '{{name}} {i} {item} {who} {{path}}'
    const recipe = filled(recipeOf(text, { job }, { name: value }))
    const titles = recipe.steps.map(({ title }) => title)
    expect(titles).toContain(`${value} ${value}`)
    expect(titles).toContain(`1 ${value}`)
    const item = expandFragment(recipe, {
      bond: 'job',
      sourceRef: 'f.f',
      title: 'F',
      vars: { who: '{item}' },
      item: '{{name}}',
      index: 0,
    })
    expect('value' in item && item.value.steps[0]?.title).toBe(`{{name}} ${value}`)
  })

  test.each(['{item} {index} {{who}}', 'say "no"', '\\'])(
    'takes a value as it is given in the variables of a fan-out: %p',
    (value) => {
      const job =
        'formula = "job"\ntype = "expansion"\n[vars]\nwho = ""\n[[template]]\nid = "{target}.x"\ntitle = "Do {who}"\n'
      const text = v2(
        '[vars.name]\n[[steps]]\nid = "f"\ntitle = "F"\n[steps.on_complete]\nfor_each = "output.x"\nbond = "job"\n' +
          'vars = { who = "{{name}} {item} {{convoy_id}}" }\n',
      )
      const recipe = filled(recipeOf(text, { job }, { name: value }), { convoy_id: 'gc-1' })
      const control = recipe.steps.find(({ metadata }) => metadata['gc.bond_vars'] !== undefined)
      const vars = JSON.parse(control?.metadata['gc.bond_vars'] ?? '')
      const item = expandFragment(recipe, { bond: 'job', sourceRef: 'f.f', title: 'F', vars, item: 'one', index: 0 })
      expect('value' in item && item.value.steps[0]?.title).toBe(`Do ${value} one gc-1`)
    },
  )

  test('takes what the launch adds', () => {
    const recipe = recipeOf(v2(steps('a').replace('title = "a"', 'title = "{{convoy_id}}"')))
    expect(filled(recipe, { convoy_id: 'gc-1' }).steps[0]?.title).toBe('gc-1')
  })

  test.each([
    ['{{zz}}', 'zz'],
    ['{{x}}', 'y'],
  ])('refuses a title that is left with a variable: %s', (title, name) => {
    const recipe = recipeOf(v1(`[vars]\nx = "{{y}}"\n${steps('a').replace('title = "a"', `title = "${title}"`)}`))
    expect(substitute(recipe)).toEqual({
      errors: [`step "f.a": bead title contains unresolved variable(s) ${name} — missing or misspelled --var(s)?`],
    })
  })

  test('keeps spec beads what they are, whatever is in a value', () => {
    const retried = recipeOf(
      v2(`[vars]\nq = 'a"}'\n${steps('a')}description = "{{q}}"\nretry = { max_attempts = 2 }\n`),
    )
    const spec = filled(retried).steps.find(({ kind }) => kind === 'spec')
    expect(JSON.parse(spec?.description ?? '')).toMatchObject({ description: 'a"}', retry: { max_attempts: 2 } })
  })

  test('puts values into the environment of nothing: a check keeps its path as one word', () => {
    const checked = v2(
      `[vars]\np = "x; rm -rf /"\n${steps('a')}[steps.check]\nmax_attempts = 1\n[steps.check.check]\npath = "{{p}}.sh"\n`,
    )
    const control = filled(recipeOf(checked)).steps.find(({ kind }) => kind === 'ralph')
    expect(control?.metadata['gc.check_path']).toBe('x; rm -rf /.sh')
  })
})

describe('later attempts', () => {
  const specOf = (recipe: Recipe): StepSpec => {
    const spec = recipe.steps.find(({ kind }) => kind === 'spec')
    return JSON.parse(spec?.description ?? '')
  }

  test('of a retry are made of its spec', () => {
    const recipe = recipeOf(
      v2(`${steps('a')}metadata = { "gc.kind" = "cleanup", x = "1" }\nretry = { max_attempts = 3 }\n`),
    )
    const {
      steps: written,
      deps,
      sinks,
    } = expandAttempt({
      ...{ spec: specOf(recipe), controlRef: 'f.a', controlId: 'gc-7', attempt: 2 },
    })
    expect([deps, sinks]).toEqual([[], ['f.a.attempt.2']])
    expect(written).toEqual([
      expect.objectContaining({
        id: 'f.a.attempt.2',
        title: 'a',
        metadata: {
          ...{ 'gc.attempt': '2', 'gc.control_for': 'gc-7', 'gc.idempotency_key': 'gc-7:attempt:2' },
          ...{ 'gc.kind': 'cleanup', 'gc.original_kind': 'cleanup', 'gc.step_id': 'a', x: '1' },
        },
      }),
    ])
  })

  test('of a check without children do not name its step as the first does', () => {
    const checked = `${steps('w')}[steps.check]\nmax_attempts = 2\n[steps.check.check]\npath = "c.sh"\n`
    const fragment = expandAttempt({
      ...{ spec: specOf(recipeOf(v2(checked))), controlRef: 'f.w', controlId: 'gc-7', attempt: 2 },
    })
    expect(fragment.steps.map(({ id, metadata }) => [id, metadata])).toEqual([
      [
        'f.w.iteration.2',
        {
          ...{ 'gc.attempt': '2', 'gc.control_for': 'gc-7', 'gc.idempotency_key': 'gc-7:attempt:2' },
          ...{ 'gc.kind': 'task', 'gc.step_id': 'w' },
        },
      ],
    ])
  })

  test('of a check with children are a scope of their own', () => {
    const group =
      `${steps('g')}[steps.check]\nmax_attempts = 2\n[steps.check.check]\npath = "c.sh"\n` +
      '[[steps.children]]\nid = "x"\ntitle = "X"\n[[steps.children]]\nid = "y"\ntitle = "Y"\nneeds = ["x"]\nretry = { max_attempts = 2 }\n'
    const fragment = expandAttempt({
      ...{ spec: specOf(recipeOf(v2(group))), controlRef: 'f.g', controlId: 'gc-7', attempt: 2 },
    })
    const round = 'f.g.iteration.2'
    expect(fragment.sinks).toEqual([round])
    expect(fragment.steps.map(({ id }) => id)).toEqual([
      ...[`${round}.x`, `${round}.x-scope-check`, `${round}.y.spec`, `${round}.y.attempt.1`, `${round}.y`],
      ...[`${round}.y-scope-check`, round],
    ])
    expect(fragment.steps[0]?.metadata).toEqual({
      ...{ 'gc.attempt': '2', 'gc.on_fail': 'abort_scope', 'gc.ralph_step_id': 'g', 'gc.scope_ref': round },
      ...{ 'gc.scope_role': 'member', 'gc.step_id': 'x' },
    })
    expect(fragment.steps.at(-1)?.metadata).toEqual({
      ...{ 'gc.attempt': '2', 'gc.control_for': 'gc-7', 'gc.idempotency_key': 'gc-7:attempt:2', 'gc.kind': 'scope' },
      ...{ 'gc.ralph_step_id': 'g', 'gc.scope_name': 'g', 'gc.scope_role': 'body', 'gc.step_id': 'g' },
    })
  })
})

describe('items of a fan-out', () => {
  const fan = '[steps.on_complete]\nfor_each = "output.items"\nbond = "job"\n'
  const job =
    'formula = "job"\ntype = "expansion"\n[vars.name]\ndefault = "x"\n[vars.more]\ndefault = "no"\n' +
    '[[template]]\nid = "{target}.do"\ntitle = "Do {name} of {target.title} for {{who}}"\nmetadata = { n = "{index}" }\n' +
    '[[template]]\nid = "{target}.more"\ntitle = "More"\nneeds = ["{target}.do"]\ncondition = "{{more}}"\n'
  const recipe = filled(recipeOf(v2(`[vars]\nwho = "us"\n${steps('s')}${fan}`), { job }))
  const item = (vars: Record<string, string>, value: unknown, index = 0) =>
    expandFragment(recipe, { bond: 'job', sourceRef: 'f.s', title: 'S', vars, item: value, index })

  test('are the template with the values of the item', () => {
    expect(item({ name: '{item.name}-{index}', more: '{item.more}' }, { name: 'a', more: true }, 1)).toEqual({
      value: {
        steps: [
          expect.objectContaining({
            id: 'job.f.s.item.2.do',
            title: 'Do a-1 of S for us',
            metadata: { 'gc.dynamic_fragment': 'true', 'gc.step_id': 'f.s', n: '{index}' },
          }),
          expect.objectContaining({ id: 'job.f.s.item.2.more', title: 'More' }),
        ],
        deps: [{ from: 'job.f.s.item.2.do', to: 'job.f.s.item.2.more', kind: 'blocks' }],
        sinks: ['job.f.s.item.2.more'],
      },
    })
  })

  test('are never read for placeholders', () => {
    const result = item({ name: '{item}' }, '{target} {{who}} {index}')
    expect('value' in result && result.value.steps[0]?.title).toBe('Do {target} {{who}} {index} of S for us')
  })

  test('of a formula that is not there say so', () => {
    const broken = recipeOf(v2(`${steps('s')}${fan}`))
    expect(broken.warnings[0]?.message).toContain('on_complete.bond "job": there is no formula "job"')
    const result = expandFragment(broken, { bond: 'job', sourceRef: 'f.s', title: 'S', vars: {}, item: 1, index: 0 })
    expect('errors' in result && result.errors[0]).toContain('there is no formula "job"')
  })

  test('warn of variables that the template does not name', () => {
    const named = fan.replace('"job"', '"job"\nvars = { name = "1", who = "2", target = "3", nme = "4" }')
    const { warnings } = recipeOf(v2(`${steps('s')}${named}`), { job })
    expect(warnings.map(({ step, message }) => [step, message])).toEqual([
      ['s', 'the variable "nme" has no effect: "job" does not name it'],
    ])
  })

  test('with a drain of a formula that is not there say so, and compile', () => {
    const job = `formula = "job"\ntype = "expansion"\n[[template]]\nid = "do"\ntitle = "D"\ndrain = { formula = "gone" }\n`
    const { warnings } = recipeOf(v2(`${steps('s')}${fan}`), { job })
    expect(warnings.map(({ step, message }) => [step, message])).toEqual([
      ['do', expect.stringMatching(/^drain.formula "gone" cannot be used: .*; the drain fails when it gets there$/)],
    ])
  })
})

test.each([
  ["step.status == 'complete'", true],
  ["step.outcome != 'pass'", false],
  ["step.output.verdict == 'ok'", true],
  ['step.output.list.1 == b', true],
  ['step.output.count >= 3', true],
  ['step.output.count < 3', false],
  ["step.output.none == ''", true],
  ['step.output.none > 1', false],
  ["other.status == 'complete'", false],
])('the condition %s is %p', (text, expected) => {
  const condition = parseStateCondition(text)
  const step = { status: 'complete', outcome: 'pass', output: { verdict: 'ok', list: ['a', 'b'], count: 3 } }
  expect(condition && evaluate(condition, (id) => (id === 'step' ? step : undefined))).toBe(expected)
})
