import { describe, expect, test } from 'bun:test'
import { compile } from '../../../src/orchestration/formulas/compile.ts'
import { lintFormulas } from '../../../src/orchestration/formulas/lint.ts'
import { briefErrors } from '../../../src/orchestration/formulas/messages.ts'
import { errorsOf, extended, formulaFiles, recipeOf, steps, v1, v2 } from './files.ts'

const step = (keys: string) => `[[steps]]\nid = "a"\ntitle = "A"\n${keys}\n`
const check = '[steps.check]\nmax_attempts = 2\n[steps.check.check]\npath = "c.sh"'
const loop = (keys: string, body = '[[steps.loop.body]]\nid = "s"\ntitle = "S"') => `[steps.loop]\n${keys}\n${body}`
const fan = (keys: string) => `[steps.on_complete]\n${keys}`
const expansion = (body: string) => `formula = "x"\ntype = "expansion"\n${body}`
const T = '[[template]]\nid = "{target}.t"\ntitle = "T"\n'

/** Each rule broken once: the text, and the line, step and sentence that come of it. */
const RULES: readonly (readonly [rule: string, text: string, error: string])[] = [
  ['TOML', 'formula = \n', '1 -: '],
  ['name', steps('a'), '1 -: formula is missing'],
  ['type', v1('type = "zzz"\n'), '2 -: type is "zzz": it must be workflow, expansion, aspect'],
  ['a key of the wrong type', v1('description = 3\n'), '2 -: description must be text'],
  ['an unknown requirement', v1('[requires]\nzzz = ">=1"\n'), '3 -: requires.zzz is unknown'],
  [
    'a requirement that is none',
    v1('[requires]\nformula_compiler = "new"\n'),
    '3 -: requires.formula_compiler must compare',
  ],
  [
    'a requirement that is too high',
    v1(`[requires]\nformula_compiler = ">=3.0.0"\n${steps('a')}`),
    '3 -: requires formula_compiler >=3.0.0, and this city has 2.0.0',
  ],
  ['a contract', v1('contract = "graph.v9"\n'), '2 -: contract is "graph.v9"'],
  ['a variable that is a number', v1('[vars]\nn = 3\n'), '3 -: vars.n must be text or a table'],
  [
    'a required variable with a default',
    v1('[vars.x]\nrequired = true\ndefault = "a"\n'),
    '4 -: vars.x is required and has a default',
  ],
  ['a pattern', v1('[vars.x]\npattern = "(?=a)"\n'), '3 -: vars.x.pattern is not a regular expression of RE2'],
  ['an id', v1('[[steps]]\ntitle = "A"\n'), '2 -: a step needs an id'],
  ['a title', v1('[[steps]]\nid = "a"\n'), '3 a: title is missing'],
  ['an id that is there twice', v1(steps('a', 'a')), '6 a: the id "a" is there twice: also in line 2'],
  [
    'an id of a child that is there twice',
    v1(`${steps('a')}[[steps.children]]\nid = "a"\ntitle = "A"\n`),
    '6 a: the id "a" is there twice',
  ],
  ['a need', v1(steps('a<zz')), '2 a: needs names "zz", and there is no such step'],
  ['waits_for', v1(step('waits_for = "all"')), '5 a: waits_for is "all"'],
  ['the step of waits_for', v1(step('waits_for = "children-of(zz)"')), '2 a: needs names "zz"'],
  ['priority', v1(step('priority = 9')), '5 a: priority must be 0 to 4'],
  ['tally', v1(step('tally = 3')), '5 a: tally is no longer there'],
  ['a gate', v1(step('[steps.gate]\nid = "x"')), '5 a: gate.type is missing'],
  ['a condition', v1(step('condition = "x > 3"')), '2 a: condition "x > 3" must be {{v}}'],
  ['a condition of both kinds', v1(step('condition = "!{{v}} == x"')), '2 a: condition "!{{v}} == x" must be'],
  ['a circle of v1', v1(steps('a<b', 'b<a')), '2 a: formula "f" contains a dependency cycle: a → b → a'],
  ['a circle of v2', v2(steps('a<c', 'b<a', 'c<b')), '4 a: formula "f" contains a dependency cycle'],
  ['a step that needs itself', v2(steps('a<a')), '4 a: formula "f" contains a dependency cycle: a → a'],
  [
    'a child that its parent waits for, and the reverse',
    v2(`${steps('p')}[[steps.children]]\nid = "k"\ntitle = "K"\nneeds = ["p"]\n`),
    'dependency cycle',
  ],
  ['a loop without rounds', v1(step(loop(''))), '5 a: loop needs one of count, range and until'],
  ['a loop with count 0', v1(step(loop('count = 0'))), '6 a: loop needs one of count, range and until'],
  ['a loop with two kinds of rounds', v1(step(loop('count = 2\nrange = "1..2"'))), '6 a: loop needs only one of'],
  ['a negative count', v1(step(loop('count = -2'))), '6 a: loop.count must be 1 or more'],
  ['a count that is text', v1(step(loop('count = "3"'))), '6 a: loop.count must be a whole number as it stands'],
  ['a loop without a body', v1(step(loop('count = 2', ''))), '5 a: loop.body is empty'],
  ['a range that goes down', v1(step(loop('range = "3..1"'))), '5 a: loop.range "3..1" ends (1) before it begins (3)'],
  ['a range that is not a sum', v1(step(loop('range = "1..x"'))), '5 a: loop.range: "x" is not a sum'],
  [
    'a range divided by zero',
    v1(step(loop('range = "1..2/0"'))),
    '5 a: loop.range: "2/0" does not give a whole number',
  ],
  [
    'a range with a variable that has no value',
    v1(step(loop('range = "1..{n}"'))),
    '5 a: loop.range needs the variable {n}',
  ],
  ['until without max', v1(step(loop(`until = "step.status == 'complete'"`))), '5 a: loop.max must say'],
  ['until', v1(step(loop('until = "done"\nmax = 2'))), '5 a: loop.until "done" is not a condition on steps'],
  ['retry in v1', v1(step('retry = { max_attempts = 2 }')), '2 a: retry needs a graph'],
  ['check in v1', v1(step(check)), '2 a: check needs a graph'],
  ['drain in v1', v1(step('drain = { formula = "x" }')), '2 a: drain needs a graph'],
  ['on_complete in v1', v1(step(fan('for_each = "output.x"\nbond = "x"'))), '2 a: on_complete needs a graph'],
  ['a scope in v1', v1(step('metadata = { "gc.scope_ref" = "b" }')), '2 a: metadata gc.scope_ref needs a graph'],
  [
    'a kind of v2 in v1',
    v1(step('metadata = { "gc.kind" = "scope" }')),
    '2 a: metadata gc.kind = "scope" needs a graph',
  ],
  ['check with retry', v2(step(`retry = { max_attempts = 2 }\n${check}`)), 'a: check cannot be combined with retry'],
  ['check with assignee', v2(step(`assignee = "x"\n${check}`)), '7 a: check cannot be combined with assignee'],
  [
    'retry with children',
    v2(step('retry = { max_attempts = 2 }\n[[steps.children]]\nid = "k"\ntitle = "K"')),
    'a: retry cannot be combined with children',
  ],
  [
    'retry with a loop',
    v2(step(`retry = { max_attempts = 2 }\n${loop('count = 2')}`)),
    'a: retry cannot be combined with loop',
  ],
  [
    'drain with a gate',
    v2(step('drain = { formula = "x" }\n[steps.gate]\ntype = "human"')),
    'a: drain cannot be combined with gate',
  ],
  [
    'drain with a kind',
    v2(step('drain = { formula = "x" }\nmetadata = { "gc.kind" = "task" }')),
    'a: drain cannot be combined with metadata gc.kind',
  ],
  ['attempts of a check', v2(step(check.replace('= 2', '= 0'))), '8 a: check.max_attempts must be 1 or more'],
  ['attempts of a retry', v2(step('retry = { max_attempts = 0 }')), '7 a: retry.max_attempts must be 1 or more'],
  ['the mode of a check', v2(step(`${check}\nmode = "llm"`)), '11 a: check.check.mode is "llm"'],
  ['the path of a check', v2(step('[steps.check]\nmax_attempts = 2')), '7 a: check.check.path is missing'],
  [
    'the script of a check',
    v2(step(check.replace('c.sh', '../assets/none.sh'))),
    '4 a: check.check.path "../assets/none.sh" is not in the assets',
  ],
  [
    'the end of a retry',
    v2(step('retry = { max_attempts = 2, on_exhausted = "x" }')),
    '7 a: retry.on_exhausted is "x"',
  ],
  ['timeout without check', v2(step('timeout = "5m"')), '7 a: timeout is the time of an attempt'],
  ['for_each', v2(step(fan('bond = "x"'))), 'a: on_complete.for_each is missing'],
  ['the list of for_each', v2(step(fan('for_each = "items"\nbond = "x"'))), '8 a: on_complete.for_each is "items"'],
  ['bond', v2(step(fan('for_each = "output.x"'))), 'a: on_complete.bond is missing'],
  [
    'parallel and sequential',
    v2(step(fan('for_each = "output.x"\nbond = "x"\nparallel = true\nsequential = true'))),
    '11 a: on_complete cannot be both',
  ],
  ['the formula of a drain', v2(step('drain = { context = "separate" }')), '7 a: drain.formula is missing'],
  ['a drain of an unknown formula', v2(step('drain = { formula = "zz" }')), '4 a: drain.formula "zz" cannot be used'],
  ['a drain of a v1 formula', v2(step('drain = { formula = "one" }')), '4 a: drain.formula "one" must be a graph'],
  ['a drain of itself', v2(step('drain = { formula = "f" }')), '4 a: drains run each other in a circle: f → f'],
  ['a drain with a variable', v2(step('drain = { formula = "{{f}}" }')), '7 a: drain.formula must be a name'],
  [
    'a shared drain',
    v2(step('drain = { formula = "x", context = "shared" }')),
    '7 a: a shared drain needs drain.item.single_lane',
  ],
  ['units of a drain', v2(step('drain = { formula = "x", max_units = 101 }')), '7 a: drain.max_units must be 1 to 100'],
  [
    'the group of a drain',
    v2(step('drain = { formula = "x", continuation_group = "g" }')),
    '7 a: drain.continuation_group is only for a shared drain',
  ],
  [
    'a kind of the engine',
    v2(step('metadata = { "gc.kind" = "fanout" }')),
    '7 a: gc.kind = "fanout" is made by gc alone: write [steps.on_complete]',
  ],
  ['a reserved variable', v2(`[vars]\nconvoy_id = "x"\n${steps('a')}`), '5 -: vars.convoy_id is given by gc'],
  [
    'an id that gc makes, too',
    v2(`${step('retry = { max_attempts = 2 }')}${steps('a.spec')}`),
    'the id "a.spec" is also that of a step which gc makes',
  ],
  ['a missing parent', v1('extends = ["zz"]\n'), '2 -: there is no formula "zz"'],
  ['parents in a circle', v1('extends = ["round"]\n'), '2 -: formulas extend each other in a circle: f → round → f'],
  ['a broken parent', v1('extends = ["broken"]\n'), '2 -: '],
  ['a missing expansion', v1('[[steps]]\nid = "a"\nexpand = "zz"\n'), '2 -: there is no formula "zz"'],
  ['an expansion that is none', v1('[[steps]]\nid = "a"\nexpand = "one"\n'), '2 -: "one" is not an expansion'],
  [
    'an expansion without template',
    v1('[[steps]]\nid = "a"\nexpand = "empty"\n'),
    '1 -: the expansion "empty" has no [[template]]',
  ],
  ['an expansion of itself', v1('[[steps]]\nid = "a"\nexpand = "deep"\n'), 'templates use each other more than 5 deep'],
  [
    'the target of compose.expand',
    v1(`${steps('a')}[[compose.expand]]\ntarget = "zz"\nwith = "x"\n`),
    '6 -: compose.expand names "zz"',
  ],
  ['a key of compose.map', v1(`${steps('a')}[[compose.map]]\nselect = "*"\n`), '6 -: compose.map.with is missing'],
  [
    'a step of compose.branch',
    v1(`${steps('a')}[[compose.branch]]\nfrom = "a"\nsteps = ["zz"]\njoin = "a"\n`),
    '6 -: compose.branch names "zz"',
  ],
  [
    'the condition of compose.gate',
    v1(`${steps('a')}[[compose.gate]]\nbefore = "a"\ncondition = "soon"\n`),
    '6 -: compose.gate.condition "soon"',
  ],
  ['an aspect', v1(`${steps('a')}[compose]\naspects = ["x"]\n`), '7 -: "x" is not an aspect'],
  [
    'a description file of v2',
    v2(step('description_file = "none.md"')),
    '4 a: description_file "none.md" is not there',
  ],
  [
    'a condition on a step that is not there',
    extended(step(`condition = "zz.output.x == 'y'"`)),
    '4 a: needs names "zz"',
  ],
  ['a condition that is neither', extended(step('condition = "soon"')), '4 a: condition "soon" is neither'],
  [
    'an until that cannot be evaluated',
    extended(step(loop(`until = "file.exists('x')"\nmax = 2`))),
    `4 a: loop.until "file.exists('x')" cannot be evaluated`,
  ],
  [
    'an until on a step outside of its loop',
    extended(step(loop(`until = "b.status == 'complete'"\nmax = 2`))),
    '4 a: loop.until names "b"',
  ],
]

const OTHERS = {
  one: v1(steps('a')).replace('"f"', '"one"'),
  round: 'formula = "round"\nextends = ["f"]\n',
  broken: 'formula = "broken"\n[[steps]\n',
  empty: expansion('').replace('"x"', '"empty"'),
  deep: `formula = "deep"\ntype = "expansion"\n[[template]]\nid = "{target}.d"\nexpand = "deep"\n`,
  x: expansion(T),
  old: `formula = "old"\n[requires]\nformula_compiler = "<2.0.0"\n`,
}

describe('a formula that breaks one rule is refused with its place', () => {
  test.each(RULES)('%s', (_rule, text, error) => {
    expect(errorsOf(text, OTHERS).join('\n')).toContain(error)
  })

  test('requirements that disagree', () => {
    const text = `formula = "f"\nextends = ["old"]\n[requires]\nformula_compiler = ">=2.0.0"\n${steps('a')}`
    expect(errorsOf(text, OTHERS)[0]).toContain('no version can be formula_compiler <2.0.0 and >=2.0.0')
  })

  test('every error together, each with its step', () => {
    const text = v1(`${step('priority = 9')}[[steps]]\nid = "b"\n[[steps]]\nid = "c"\ntitle = "c"\nwaits_for = "x"\n`)
    expect(errorsOf(text).map((error) => error.slice(0, 4))).toEqual(['5 a:', '7 b:', '11 c'])
  })
})

describe('a formula that is made of others', () => {
  const faulty = [0, 1, 2].map((n) => `[[steps]]\nid = "x${n}"\ntitle = "X"\npriority = 9\n`)
  const bad = `formula = "bad"\n${faulty.join('')}`
  const own = 'formula = "f"\nextends = ["bad"]\n[[steps]]\nid = "y"\ntitle = "Y"\nneeds = ["zz"]\n'
  const files = formulaFiles({ f: own, bad, fine: v1(steps('a')).replace('"f"', '"fine"') })

  test('reports the first error of each other file, and how to see the others', () => {
    const result = compile(files, 'f')
    expect('errors' in result && briefErrors(result)).toEqual([
      {
        file: '/city/formulas/bad.toml',
        line: 5,
        step: 'x0',
        message: 'priority must be 0 to 4 (2 more: gc formula validate bad)',
      },
    ])
  })

  test('is linted without the errors of others', () => {
    const reports = lintFormulas(files).map(({ name, errors }) => [name, errors.map(({ message }) => message)])
    expect(reports).toEqual([
      ['bad', Array.from({ length: 3 }, () => 'priority must be 0 to 4')],
      ['f', ['it is made of "bad", which does not compile']],
      ['fine', []],
    ])
  })

  test('reports an error once, however often it is met', () => {
    const twice = v2('[[steps]]\nid = "a"\ntitle = "A"\nexpand = "gone"\n')
    const errors = errorsOf(`${twice}[compose]\nexpand = [{ target = "a", with = "gone" }]\n`)
    expect(errors.length).toBe(new Set(errors).size)
  })
})

describe('a formula that is missing', () => {
  test.each([
    ['extends', 'formula = "f"\nextends = ["mol-do-work"]\n'],
    ['expand', v2('[[steps]]\nid = "a"\ntitle = "A"\nexpand = "mol-do-work"\n')],
    ['drain', v2('[[steps]]\nid = "a"\ntitle = "A"\ndrain = { formula = "mol-do-work" }\n')],
  ])('of the pack core is named by %s with the command that imports it', (_, text) => {
    expect(errorsOf(text)).toEqual([
      expect.stringMatching(
        /"mol-do-work".*it is in the pack core, which is not imported: gc import add https:\S+core --name core$/,
      ),
    ])
  })

  test('is reported with the one that was meant', () => {
    expect(errorsOf('formula = "f"\nextends = ["plann"]\n', { plan: v1(steps('a')) })[0]).toContain(
      'did you mean "plan"?',
    )
  })
})

const CONSTRUCTS: Readonly<Record<string, string>> = {
  check,
  retry: '[steps.retry]\nmax_attempts = 2',
  drain: '[steps.drain]\nformula = "x"',
  loop: loop('count = 2'),
  on_complete: fan('for_each = "output.x"\nbond = "x"'),
  gate: '[steps.gate]\ntype = "human"',
  expand: 'expand = "x"',
  assignee: 'assignee = "x"',
  timeout: 'timeout = "5m"',
  children: '[[steps.children]]\nid = "k"\ntitle = "K"',
}
const APART: Readonly<Record<string, readonly string[]>> = {
  check: ['loop', 'on_complete', 'gate', 'expand', 'assignee', 'retry'],
  retry: ['loop', 'on_complete', 'gate', 'expand', 'children'],
  drain: ['assignee', 'expand', 'gate', 'loop', 'on_complete', 'check', 'retry', 'children', 'timeout'],
}
const pairs = Object.entries(APART).flatMap(([one, others]) => others.map((other) => [one, other] as const))

test.each(pairs)('a step is not both %s and %s, and the error names its place', (one, other) => {
  // A key stands before the tables of its step.
  const keys = [CONSTRUCTS[one] ?? '', CONSTRUCTS[other] ?? ''].sort(
    (a, b) => Number(a[0] === '[') - Number(b[0] === '['),
  )
  expect(errorsOf(v2(step(keys.join('\n'))), OTHERS).join('\n')).toMatch(
    new RegExp(`^\\d+ a: ${one} cannot be combined with ${other}$`, 'm'),
  )
})

test.each(['convoy_id', 'bead_id', 'issue'])('a graph is not given the variable %s by its caller', (name) => {
  const error = `2 -: the variable "${name}" is given by gc to a graph: it cannot be supplied`
  expect(errorsOf(v2(steps('a')), {}, { [name]: 'x' })).toEqual([expect.stringContaining(error.slice(5))])
})

describe('bad input', () => {
  test('unknown keys pass, as files of others have them', () => {
    expect(
      recipeOf(v1(`version = 3\nzzz = { a = 1 }\n${step('qqq = 2\nlabels = ["x"]\ntags = ["y"]')}`)).steps[0]?.labels,
    ).toEqual(['y'])
  })

  test('a loop of a thousand million rounds is refused before it is written out', () => {
    expect(errorsOf(v1(step(loop('count = 1000000000'))))).toEqual([
      '2 -: the loop goes round 1000000000 times: 100000 is the most',
    ])
    expect(errorsOf(v1(step(loop('range = "1..10^300"')))).join()).toContain('does not give a whole number')
  })

  test('loops in loops are counted together', () => {
    const inner =
      '[[steps.loop.body]]\nid = "m"\ntitle = "M"\n[steps.loop.body.loop]\ncount = 400\n[[steps.loop.body.loop.body]]\nid = "s"\ntitle = "S"'
    expect(errorsOf(v1(step(loop('count = 400', inner)))).join()).toContain('100000 is the most')
  })

  test('long texts are not written out a hundred thousand times', () => {
    const body = `[[steps.loop.body]]\nid = "s"\ntitle = "{i}"\ndescription = "${'x'.repeat(4000)}"`
    expect(errorsOf(v1(step(loop('range = "1..90000"\nvar = "i"', body)))).join()).toContain('more than 64 MB')
  })

  test('10,000 steps compile, each after the one before', () => {
    const recipe = recipeOf(v1(step(loop('count = 10000'))))
    expect([recipe.steps.length, recipe.deps.length]).toEqual([10_000, 9_999])
    expect(recipe.steps.at(-1)?.id).toBe('f.a.iter10000.s')
  })

  test('parents that name each other twice at every level are read once', () => {
    const levels = Array.from({ length: 40 }, (_, at) => [
      `l${at}`,
      `formula = "l${at}"\nextends = ["l${at + 1}", "l${at + 1}"]\n`,
    ])
    const others = { ...Object.fromEntries(levels), l40: v1(steps('a')).replace('"f"', '"l40"') }
    expect(recipeOf(v1('extends = ["l0", "l0"]\n'), others).steps).toHaveLength(1)
  })

  test('ids with dots and other scripts stay what they are', () => {
    const recipe = recipeOf(v2(steps('a.b', 'größe<a.b', '日本<größe')))
    expect(recipe.steps.map(({ id }) => id)).toEqual(['f.a.b', 'f.größe', 'f.日本', 'f.workflow-finalize'])
  })

  test('a file that is nested without end is refused, not read to the end of the stack', () => {
    expect(errorsOf(v1(`x = ${'['.repeat(60_000)}`)).length).toBeGreaterThan(0)
  })

  test('names of built-in properties are names like others', () => {
    const text = v1(
      `[vars]\nconstructor = "a"\n${step('condition = "{{toString}}"')}${steps('constructor', '__proto__<constructor')}`,
    )
    expect(recipeOf(text).steps.map(({ ref }) => ref)).toEqual(['constructor', '__proto__'])
  })
})
