import { describe, expect, test } from 'bun:test'
import { compile } from '../../../src/orchestration/formulas/compile.ts'
import { edgesOf, extended, formulaFiles, recipeOf, refsOf, steps, v1, v2 } from './files.ts'

const loop = (id: string, keys: string, body: string, needs = '') =>
  `${steps(`${id}<${needs}`)}[steps.loop]\n${keys}\n${body}`
const inLoop = (id: string, keys = '') => `[[steps.loop.body]]\nid = "${id}"\ntitle = "${id}"\n${keys}\n`
const LIST =
  'formula = "list"\ntype = "expansion"\n[vars.depth]\ndefault = "shallow"\n' +
  '[[template]]\nid = "{target}.look"\ntitle = "Look at {target.title} ({depth})"\n' +
  '[[template]]\nid = "{target}.sign"\ntitle = "Sign {target}"\nneeds = ["{target}.look"]\n'
const titles = (text: string, others = {}, variables = {}) =>
  recipeOf(text, others, variables).steps.map(({ title }) => title)

describe('loops', () => {
  test('continue in order, between what they need and what needs them', () => {
    const text = v1(
      `${steps('a')}${loop('l', 'count = 2', inLoop('s') + inLoop('t', 'needs = ["s"]'), 'a')}${steps('z<l')}`,
    )
    expect(edgesOf(recipeOf(text))).toEqual([
      ...['a>l.iter1.s', 'l.iter1.s>l.iter1.t', 'l.iter1.t>l.iter2.s', 'l.iter2.s>l.iter2.t', 'l.iter2.t>z'],
    ])
  })

  test('let every step of a round wait for all of the one before', () => {
    const edges = edgesOf(recipeOf(v1(loop('l', 'count = 2', inLoop('s') + inLoop('t')))))
    expect(edges.sort()).toEqual([
      'l.iter1.s>l.iter2.s',
      'l.iter1.s>l.iter2.t',
      'l.iter1.t>l.iter2.s',
      'l.iter1.t>l.iter2.t',
    ])
  })

  test('put their variable in wherever text is', () => {
    const body = inLoop(
      's',
      'assignee = "w{i}"\ntags = ["t{i}"]\nmetadata = { k = "{i}" }\n[[steps.loop.body.children]]\nid = "kid"\ntitle = "Kid {i} {{n}}"',
    )
    const [first, child] = recipeOf(v1(`[vars]\nn = "3"\n${loop('l', 'range = "{n}-1..{n}"\nvar = "i"', body)}`)).steps
    expect(first).toMatchObject({ assignee: 'w2', labels: ['t2'], metadata: { k: '2' } })
    expect(child).toMatchObject({ ref: 'l.iter1.s.kid', title: 'Kid 2 {{n}}', parent: 'f.l.iter1.s' })
  })

  test.each([
    ['1..2^2-1', 3],
    ['1..2*(3-1)', 4],
    ['-1..1', 3],
    ['2^3^0..2', 1],
    ['5/2..4', 3],
  ])('count %s as %d rounds', (range, count) => {
    expect(recipeOf(v1(loop('l', `range = "${range}"`, inLoop('s')))).steps).toHaveLength(count)
  })

  test('lie in each other', () => {
    const inner = `${inLoop('m')}[steps.loop.body.loop]\nrange = "1..{i}"\n[[steps.loop.body.loop.body]]\nid = "s"\ntitle = "S"\n`
    const recipe = recipeOf(v1(loop('l', 'range = "1..2"\nvar = "i"', inner + inLoop('e', 'needs = ["m"]'))))
    expect(edgesOf(recipe)).toEqual([
      ...['l.iter1.m.iter1.s>l.iter1.e', 'l.iter1.e>l.iter2.m.iter1.s', 'l.iter2.m.iter1.s>l.iter2.m.iter2.s'],
      'l.iter2.m.iter2.s>l.iter2.e',
    ])
  })

  test('with until go round once without the extensions, and say so', () => {
    const recipe = recipeOf(v1(loop('l', `until = "step.status == 'complete'"\nmax = 3`, inLoop('s'))))
    expect(recipe.steps[0]?.labels).toEqual([`loop:{"max":3,"until":"step.status == 'complete'"}`])
    expect(recipe.warnings[0]?.message).toContain('loop.until has no effect')
  })
})

describe('templates', () => {
  test('take the place of a step, between what it needs and what needs it', () => {
    const text = v1(
      `${steps('a')}[[steps]]\nid = "e"\nexpand = "list"\nneeds = ["a"]\nexpand_vars = { depth = "very" }\n${steps('z<e')}`,
    )
    expect(edgesOf(recipeOf(text, { list: LIST }))).toEqual(['a>e.look', 'e.look>e.sign', 'e.sign>z'])
    expect(titles(text, { list: LIST })).toEqual(['a', 'Look at  (very)', 'Sign e', 'z'])
  })

  test('take the place of steps that compose names, by id and by pattern', () => {
    const one = v1(
      `${steps('a', 'b<a', 'c<b')}[[compose.expand]]\ntarget = "b"\nwith = "list"\nvars = { depth = "deep" }\n`,
    )
    expect(edgesOf(recipeOf(one, { list: LIST }))).toEqual(['a>b.look', 'b.look>b.sign', 'b.sign>c'])
    expect(titles(one, { list: LIST })[1]).toBe('Look at b (deep)')
    const many = v1(`${steps('a1', 'a2<a1', 'b<a2')}[[compose.map]]\nselect = "a*"\nwith = "list"\n`)
    expect(edgesOf(recipeOf(many, { list: LIST }))).toEqual([
      ...['a1.look>a1.sign', 'a1.sign>a2.look', 'a2.look>a2.sign', 'a2.sign>b'],
    ])
  })

  test('have conditions on their own variables', () => {
    const list = `${LIST}[[template]]\nid = "{target}.more"\ntitle = "More"\ncondition = "{{depth}} == deep"\n`
    const text = (depth: string) => v1(`[[steps]]\nid = "e"\nexpand = "list"\nexpand_vars = { depth = "${depth}" }\n`)
    expect(refsOf(recipeOf(text('deep'), { list }))).toContain('e.more')
    expect(refsOf(recipeOf(text('no'), { list }))).not.toContain('e.more')
  })

  test('take over the conditions and the gate of their step', () => {
    const gated = v1(
      `[vars]\nv = "no"\n[[steps]]\nid = "e"\nexpand = "list"\ncondition = "{{v}}"\n[steps.gate]\ntype = "human"\n`,
    )
    expect(recipeOf(gated, { list: LIST }).steps).toEqual([])
    expect(edgesOf(recipeOf(gated, { list: LIST }, { v: 'yes' }))).toContain('gate-e.look>e.look')
  })

  test('work in loops', () => {
    const recipe = recipeOf(v1(loop('l', 'count = 2', inLoop('e', 'expand = "list"'))), { list: LIST })
    expect(edgesOf(recipe)).toEqual([
      ...['l.iter1.e.look>l.iter1.e.sign', 'l.iter1.e.sign>l.iter2.e.look', 'l.iter2.e.look>l.iter2.e.sign'],
    ])
  })
})

describe('conditions', () => {
  const conditioned = (condition: string) =>
    v1(`[vars]\nv = "a b"\noff = "No"\n[[steps]]\nid = "a"\ntitle = "a"\ncondition = '''${condition}'''\n`)
  test.each([
    ['{{v}}', true],
    ['!{{v}}', false],
    ['{{off}}', false],
    ['!{{off}}', true],
    ['{{zz}}', false],
    ['!{{zz}}', true],
    ["{{v}} == 'a b'", true],
    ['{{v}} == "a b"', true],
    ['{{v}} == a b', true],
    ['{{v}} == A b', false],
    ['{{v}} != a', true],
    ['{{zz}} == ""', true],
  ])('%s is %p', (condition, included) => {
    expect(recipeOf(conditioned(condition)).steps).toHaveLength(included ? 1 : 0)
  })

  test('take what is left out with its children and edges, and say whose wait ends', () => {
    const child = '[[steps.children]]\nid = "k"\ntitle = "K"\n'
    const text = v1(`[vars]\nv = "no"\n${steps('a', 'b<a')}condition = "{{v}}"\n${child}${steps('c<b,k')}`)
    const recipe = recipeOf(text)
    expect([refsOf(recipe), edgesOf(recipe)]).toEqual([['a', 'c'], []])
    expect(recipe.warnings.map(({ step, message }) => [step, message])).toEqual([
      ['c', '"c" does not wait for "b": a condition leaves that step out'],
      ['c', '"c" does not wait for "k": a condition leaves that step out'],
    ])
  })
})

describe('the parts of formulas', () => {
  test('steps of parents come first, in order, and one of the same id is replaced where it is', () => {
    const base = `formula = "base"\n[vars]\nwho = "me"\n${steps('one', 'two<one')}`
    const other = `formula = "other"\npour = true\n[requires]\nformula_compiler = ">=2.0.0"\n${steps('three')}`
    const text = v1(
      `extends = ["base", "other"]\n${steps('two').replace('title = "two"', 'title = "2"')}${steps('four<three')}`,
    )
    const recipe = recipeOf(text, { base, other })
    expect(recipe.steps.map(({ title }) => title)).toEqual(['one', '2', 'three', 'four', 'Finalize workflow'])
    expect([recipe.contract, recipe.pour, recipe.variables.values]).toEqual(['v2', true, { who: 'me' }])
  })

  test('branches and gates of compose', () => {
    const text = v1(
      `${steps('a', 'b<a', 'side')}[[compose.branch]]\nfrom = "a"\nsteps = ["side"]\njoin = "b"\n` +
        `[[compose.gate]]\nbefore = "b"\ncondition = "a.status == 'complete'"\n`,
    )
    const recipe = recipeOf(text)
    expect(edgesOf(recipe)).toEqual(['a>b', 'side>b', 'a>side'])
    expect(recipe.steps[1]?.labels).toEqual([`gate:{"condition":"a.status == 'complete'"}`])
    expect(recipe.warnings[0]?.message).toContain('compose.gate before "b" has no effect')
  })

  test('a branch over a loop begins after it and joins before it', () => {
    const text = v1(
      `${loop('l', 'count = 2', inLoop('s'))}${steps('a', 'b')}[[compose.branch]]\nfrom = "a"\nsteps = ["b"]\njoin = "l"\n`,
    )
    expect(edgesOf(recipeOf(text))).toEqual(['b>l.iter1.s', 'l.iter1.s>l.iter2.s', 'a>b'])
  })

  test('aspects and advice, which are not advised themselves', () => {
    const logged =
      'formula = "logged"\ntype = "aspect"\n[[advice]]\ntarget = "*"\n' +
      '[[advice.around.before]]\nid = "{step.id}-before"\ntitle = "Before {step.title}"\n' +
      '[[advice.around.after]]\nid = "{step.id}-after"\ntitle = "After {step.title}"\n[[pointcuts]]\nglob = "*"\n'
    const own = '[[advice]]\ntarget = "a*"\n[advice.before]\nid = "{step.id}-own"\ntitle = "Own"\n'
    const text = v1(`${steps('a', 'b<a')}${own}[compose]\naspects = ["logged"]\n`)
    expect(edgesOf(recipeOf(text, { logged }))).toEqual([
      ...['a-own>a', 'a-before>a', 'a>a-after', 'a>b', 'b-before>b', 'b>b-after'],
    ])
  })
})

describe('templates and the variables around them', () => {
  const job =
    'formula = "job"\ntype = "expansion"\n[vars]\nmode = "own"\nrounds = "1"\n' +
    '[[template]]\nid = "{target}"\ntitle = "{mode} {{mode}} {{who}}"\n' +
    '[[template]]\nid = "{target}.fast"\ntitle = "Fast"\ncondition = "{{mode}} == fast"\n' +
    '[[template]]\nid = "{target}.more"\ntitle = "More"\n[template.loop]\nrange = "1..{rounds}"\n' +
    '[[template.loop.body]]\nid = "s"\ntitle = "S"\n'
  const host = (vars: string) =>
    v2(`[vars]\nspeed = "slow"\ntimes = "2"\n[[steps]]\nid = "a"\ntitle = "A"\nexpand = "job"\n${vars}`)
  const given = 'expand_vars = { mode = "{{speed}}", rounds = "{{times}}" }\n'
  const idsOf = (values: Record<string, string>) =>
    recipeOf(host(given), { job }, values)
      .steps.filter(({ kind }) => kind === undefined)
      .map(({ ref }) => ref)

  test('a variable of the template has its own value in either spelling', () => {
    expect(recipeOf(host(''), { job }).steps[0]?.title).toBe('own own {{who}}')
    expect(recipeOf(host(given), { job }).steps[0]?.title).toBe('{{speed}} {{speed}} {{who}}')
  })

  test('conditions and ranges of the template use the values of the run', () => {
    expect(idsOf({})).toEqual(['a', 'a.more.iter1.s', 'a.more.iter2.s'])
    expect(idsOf({ speed: 'fast', times: '1' })).toEqual(['a', 'a.fast', 'a.more.iter1.s'])
  })
})

describe('metadata of a formula', () => {
  const NESTED =
    '[metadata]\nowner = "me"\nlevel = 3\n[metadata.gc.methodology]\nname = "x"\nmodes = ["a", ["b"]]\nsince = 2026-01-02\n' +
    'at = 07:30:00\nlimit = inf\n[[metadata.lanes]]\nid = 1\n'

  test('is any TOML, and only its plain values are those of the root bead', () => {
    const { metadata, root } = recipeOf(v1(`${NESTED}${steps('a')}`))
    expect(metadata).toEqual({
      ...{ owner: 'me', level: 3, lanes: [{ id: 1 }] },
      gc: { methodology: { name: 'x', modes: ['a', ['b']], since: '2026-01-02', at: '07:30:00', limit: 'Infinity' } },
    })
    expect(root.metadata).toEqual({ owner: 'me', level: '3', 'gc.formula_name': 'f' })
  })

  test('is merged with that of its parents, table by table', () => {
    const base = `formula = "base"\n${NESTED}${steps('a')}`
    const own =
      'formula = "f"\nextends = ["base"]\n[metadata.gc.methodology]\nname = "y"\n[metadata.owner]\nteam = "t"\n'
    expect(recipeOf(own, { base }).metadata).toMatchObject({
      ...{ owner: { team: 't' }, level: 3 },
      gc: { methodology: { name: 'y', modes: ['a', ['b']] } },
    })
  })

  test('is text in a step', () => {
    expect(() => recipeOf(v1(`${steps('a')}metadata = { a = { b = 1 } }\n`))).toThrow('metadata: a must be text')
  })
})

describe('files beside formulas', () => {
  const described = (text: string) => `${steps('a')}description_file = "${text}"\n`

  test('a short description is copied, a long one is named with the variables it may use', () => {
    const formula = v2(`[vars]\nwho = "me"\n${described('../assets/do.md')}`)
    const read = (text: string) => {
      const files = formulaFiles({ f: formula }, { 'assets/do.md': text })
      const result = compile(files, 'f')
      return 'recipe' in result ? result.recipe.steps[0]?.description : undefined
    }
    expect(read('Do it.')).toBe('Do it.')
    expect(read('x'.repeat(5000))).toBe(
      'Read /city/assets/do.md (do.md, 5000 bytes): it says what to do in this step.\n\n' +
        'In it these variables stand for:\n\nwho="{{who}}"',
    )
  })

  const FILES = {
    'assets/{target}.md': 'Review {target} for {{who}} as {role}.',
    'assets/b.md': 'substituted name',
  }
  const review =
    'formula = "review"\ntype = "expansion"\n[vars.role]\ndefault = "critic"\n[[template]]\nid = "{target}"\n' +
    'title = "T"\ndescription_file = "../assets/{target}.md"\n'
  const inTemplate = (files: Record<string, string>) => {
    const f = v2(`[vars]\nwho = "me"\n[[steps]]\nid = "b"\ntitle = "B"\nexpand = "review"\n`)
    return compile(formulaFiles({ f, review }, files), 'f')
  }

  test('a description file is read by the name that is written, before anything is substituted', () => {
    const result = inTemplate(FILES)
    expect('recipe' in result && result.recipe.steps[0]?.description).toBe('Review b for {{who}} as critic.')
  })

  test('a missing description file is reported by the name that is written', () => {
    expect(inTemplate({ 'assets/b.md': 'x' })).toMatchObject({
      errors: [{ line: 5, step: 'b', message: expect.stringContaining('description_file "../assets/{target}.md" is') }],
    })
  })

  test.each([
    ['a loop', '[[steps]]\nid = "l"\ntitle = "L"\n[steps.loop]\nrange = "1..1"\nvar = "i"\n[[steps.loop.body]]\n'],
    ['children', '[[steps]]\nid = "p"\ntitle = "P"\n[[steps.children]]\n'],
  ])('a description file in %s keeps its written name', (_, around) => {
    const text = v2(`${around}id = "s"\ntitle = "S"\ndescription_file = "{i}.md"\n`)
    const result = compile(formulaFiles({ f: text }, { 'formulas/{i}.md': 'Do.' }), 'f')
    const steps = 'recipe' in result ? result.recipe.steps : []
    expect(steps.find(({ title }) => title === 'S')?.description).toBe('Do.')
  })

  test('without its file a v1 step has no description', () => {
    expect(recipeOf(v1(described('none.md'))).steps[0]?.description).toBeUndefined()
  })
})

describe('steps that only gc runs', () => {
  test('an until loop is a control whose iterations are scopes', () => {
    const body = inLoop('ask') + inLoop('judge', 'needs = ["ask"]')
    const recipe = recipeOf(extended(loop('l', `until = "step.output.done == 'yes'"\nmax = 5`, body)))
    const round = 'l.iteration.1'
    expect(refsOf(recipe)).toEqual([
      ...['l.spec', `${round}.ask`, `${round}.ask-scope-check`, `${round}.judge`, `${round}.judge-scope-check`, round],
      ...['l', 'workflow-finalize'],
    ])
    expect(recipe.steps.find(({ ref }) => ref === 'l')?.metadata).toEqual({
      ...{ 'gc.condition': "step.output.done == 'yes'", 'gc.condition_step': 'judge', 'gc.control_epoch': '1' },
      ...{ 'gc.kind': 'until', 'gc.max_attempts': '5', 'gc.step_id': 'l' },
    })
  })

  test('a condition on a step is a control between both, and waits for it', () => {
    const text = extended(
      `${steps('review', 'mend<review')}condition = "review.output.verdict == 'reject'"\n${steps('ship<mend')}`,
    )
    const recipe = recipeOf(text)
    expect(edgesOf(recipe).slice(0, 3)).toEqual(['review>mend-condition', 'mend-condition>mend', 'mend>ship'])
    expect(recipe.steps[1]?.metadata).toEqual({
      ...{ 'gc.condition': "review.output.verdict == 'reject'", 'gc.condition_step': 'f.review' },
      ...{ 'gc.control_for': 'mend', 'gc.kind': 'condition' },
    })
  })

  test('a step that blocks on failure has a guard, which is what others wait for', () => {
    const recipe = recipeOf(
      extended(`${steps('a')}block_on_failure = true\nretry = { max_attempts = 2 }\n${steps('b<a')}`),
    )
    expect(edgesOf(recipe)).toEqual([
      ...['a.attempt.1>a', 'a>a-guard', 'a-guard>b', 'b>workflow-finalize', 'workflow-finalize>(root)'],
    ])
  })

  test('is a condition like others, and an unknown key, without the extensions', () => {
    expect(edgesOf(recipeOf(v2(`${steps('a')}block_on_failure = true\n${steps('b<a')}`)))[0]).toBe('a>b')
  })
})
