import { expect, test } from 'bun:test'
import { cityFiles } from '../config/city-files.ts'
import { tempFolder } from '../support/folder.ts'
import { gc } from './shell.ts'

const pack = (name: string, rest = '') => `[pack]\nname = "${name}"\nschema = 2\n${rest}`

async function lint(path: string, ...args: string[]) {
  using home = tempFolder()
  const { status, out, err } = await gc(['lint', path, ...args], { env: { GC_HOME: home.path } })
  return { status, out, err }
}

test('gc lint names what is wrong in each pack below a folder, with its file and line', async () => {
  using folder = cityFiles({
    'good/pack.toml': pack('good', '[[pack.requires]]\nagent = "mayor"\n'),
    'good/agents/a/agent.toml': 'scope = "rig"\n',
    'good/agents/a/prompt.template.md': '{{ .AgentName }} {{ template "x" . }}',
    'good/template-fragments/x.template.md': '{{ define "x" }}x{{ end }}',
    'bad/pack.toml': pack('bad', 'nonsense = 1\n'),
    'worse/pack.toml': pack('worse', '[imports.far]\nsource = "https://example.com/far.git"\n'),
    'worse/agents/b/agent.toml': 'min_active_sessions = 3\nmax_active_sessions = 1\ntypo = 1\n',
    'worse/agents/b/prompt.template.md': '{{ if }}',
    'worse/agents/c/agent.toml': 'start_command = "x"\npre_start = ["echo {{ end }}"]\n',
    'worse/template-fragments/y.template.md': '{{ define "y" }}',
    'worse/assets/pack.toml': 'is never looked at',
  })
  const { status, out } = await lint(folder.path, '--json')
  const { packs, ...report } = JSON.parse(out)
  expect([status, report]).toEqual([
    1,
    {
      schema_version: '2',
      ok: false,
      command: 'lint',
      path: folder.path,
      summary: { packs: 3, errors: 6, warnings: 2 },
    },
  ])
  const [bad, good, worse] = packs
  expect(bad).toMatchObject({ name: 'bad', errors: ['pack.toml:4: [pack] nonsense: is not a key of this section'] })
  expect(good).toEqual({ path: folder.pathOf('good'), name: 'good', errors: [], warnings: [] })
  expect(worse).toMatchObject({
    errors: [
      expect.stringMatching(/^agents\/b\/agent.toml:1: min_active_sessions: 3 is more than/),
      expect.stringContaining('y.template.md, line 1: an {{end}} is missing'),
      expect.stringContaining('agents/b/prompt.template.md, line 1: a value is missing in if'),
      expect.stringContaining('agent "pack.c" pre_start: '),
      expect.stringContaining('agent "rig/pack.c" pre_start: '),
    ],
    warnings: [
      'agents/b/agent.toml:3: typo: is not a section or key of this file',
      expect.stringContaining('gc import install'),
    ],
  })
}, 15_000)

test('gc lint checks a city as it is composed, and says when there is nothing to check', async () => {
  using city = cityFiles({ 'city.toml': '[[agent]]\nname = "a"\ndir = "gone"\nstart_command = "x"\n' })
  const { status, out } = await lint(city.path)
  expect(status).toBe(1)
  expect(out).toContain('error    city.toml:3: [[agent]] dir: there is no rig "gone"')
  expect(out).toEndWith('1 checked: 1 error, 0 warnings.\n')
  using empty = tempFolder()
  expect((await lint(empty.path)).err).toContain('there is no pack.toml')
  expect((await lint(empty.at('none'))).err).toContain('there is no folder')
}, 15_000)

test('gc lint reports what is wrong with a pack in the folder of a city once', async () => {
  using city = cityFiles({
    'city.toml': '[imports.p]\nsource = "p"\n',
    'p/pack.toml': pack('p'),
    'p/agents/a/agent.toml': 'nudge = "x"\nstart_command = "x"\n',
    'p/formulas/broken.toml': 'formula = "broken"\n[[steps]]\nid = "a"\n',
  })
  const { packs } = JSON.parse((await lint(city.path, '--json')).out)
  expect(packs).toEqual([
    { path: city.path, name: 'my-city', errors: [], warnings: [] },
    {
      ...{ path: city.pathOf('p'), name: 'p' },
      errors: ['formulas/broken.toml:3: step "a": title is missing: only a step with expand may lack it'],
      warnings: ['agents/a/agent.toml:1: nudge: has no effect: the first prompt says what to do'],
    },
  ])
})

test('gc lint names order files that are left out, and keys of them that gc does not know', async () => {
  using city = cityFiles({
    'city.toml': '',
    'orders/a.toml': '[order]\ntrigger = "cron"\nschedule = "*/0 * * * *"\nexec = "true"\n',
    'orders/b.toml': '[order]\ntrigger = "manual"\nexec = "true"\ntypo = 1\n',
  })
  const { status, out } = await lint(city.path)
  expect(status).toBe(1)
  expect(out).toContain('error    orders/a.toml:3: [order] schedule: "*/0 * * * *" is not a cron schedule')
  expect(out).toContain('warning  orders/b.toml:4: [order] typo: is not a key of this section')
  expect(out).toEndWith('1 checked: 1 error, 1 warning.\n')
}, 15_000)

test('gc lint says what is wrong with the formulas of a pack and of a city, and what in them has no effect', async () => {
  const formula = (name: string, rest: string) => `formula = "${name}"\n[[steps]]\nid = "a"\ntitle = "A"\n${rest}`
  using folder = cityFiles({
    'pack/pack.toml': pack('good'),
    'pack/formulas/broken.toml': formula('broken', 'needs = ["b"]\n'),
    'pack/formulas/fine.toml': formula('fine', ''),
    'pack/formulas/other.toml': formula('another', ''),
    'town/city.toml': '[workspace]\nname = "town"\nprovider = "claude"\n',
    'town/formulas/loose.toml': formula('loose', 'check = { max_attempts = 2 }\n'),
  })
  const { packs } = JSON.parse((await lint(folder.pathOf('pack'), '--json')).out)
  expect(packs).toMatchObject([
    {
      errors: [expect.stringMatching(/^formulas\/broken.toml:\d+: step "a": /)],
      warnings: [
        expect.stringMatching(/^formulas\/other.toml:\d+: the file is called other and the formula "another"/),
      ],
    },
  ])
  const town = await lint(folder.pathOf('town'))
  expect(town.status).toBe(1)
  expect(town.out).toContain('error    formulas/loose.toml:')
})

test('gc lint reads the formulas of a city without a pack.toml and of its rigs, with the line of what has no effect', async () => {
  const graph = (name: string) => `formula = "${name}"\n[requires]\nformula_compiler = ">=2.0.0"\n`
  const step = (id: string, rest = '') => `[[steps]]\nid = "${id}"\ntitle = "T"\n${rest}`
  using folder = cityFiles({
    'town/city.toml':
      '[workspace]\nname = "town"\nprovider = "claude"\n[[rigs]]\nname = "app"\npath = "../app"\nformulas_dir = "../app/formulas"\n',
    'town/formulas/inert.toml':
      `${graph('inert')}[vars]\nx = "no"\n${step('a')}${step('b', 'needs = ["a"]\ncondition = "{{x}} == yes"\n')}` +
      `${step('c', 'needs = ["b"]\n')}${step('l', `loop = { until = "step.status == 'complete'", max = 2, body = [{ id = "x", title = "X" }] }\n`)}` +
      `[compose]\n[[compose.gate]]\nbefore = "c"\ncondition = "a.status == 'complete'"\n`,
    'town/formulas/broken.toml': 'formula = "broken"\n[[steps]]\nid =\n',
    'app/formulas/lost.toml': `formula = "lost"\n${step('q', 'needs = ["z"]\n')}`,
    'app/formulas/inert.toml': `formula = "inert"\n${step('q', 'check = { max_attempts = 2 }\n')}`,
  })
  const { status, out } = await lint(folder.pathOf('town'), '--json')
  expect([status, JSON.parse(out).packs]).toEqual([
    1,
    [
      {
        ...{ path: folder.pathOf('town'), name: 'town' },
        errors: [
          'formulas/broken.toml:3: Unspecified values are invalid',
          expect.stringMatching(/\/app\/formulas\/inert\.toml:\d: step "q": /),
          expect.stringMatching(/\/app\/formulas\/lost\.toml:2: step "q": .*"z"/),
        ],
        warnings: [
          expect.stringMatching(/^formulas\/inert\.toml:21: step "l": loop\.until has no effect: /),
          expect.stringMatching(/^formulas\/inert\.toml:23: step "c": compose\.gate before "c" has no effect: /),
          'formulas/inert.toml:14: step "c": "c" does not wait for "b": a condition leaves that step out',
        ],
      },
    ],
  ])
})

const GRAPH = '[requires]\nformula_compiler = ">=2.0.0"\n[[steps]]\nid = "a"\ntitle = "A"\n'

test('gc config show --validate fails for an agent of a pack that cannot be used', async () => {
  using city = cityFiles({
    'city.toml': '[imports.p]\nsource = "p"\n',
    'p/pack.toml': pack('p'),
    'p/agents/a/agent.toml': 'scope = "city"\nx = 1\nx = 2\n',
  })
  using home = tempFolder()
  const show = (...args: string[]) =>
    gc(['config', 'show', '--city', city.path, ...args], { env: { GC_HOME: home.path } })
  const error = 'p/agents/a/agent.toml:3: is not TOML: Defining a key multiple times is invalid'
  expect(await show('--validate')).toEqual({ status: 1, out: '', err: `gc: ${error}\n` })
  expect((await show()).status).toBe(0)
})

test('gc lint and gc config show --validate name variables that no run has, and formulas of agents that are not there', async () => {
  const step = (title: string) => `[[steps]]\nid = "a"\ntitle = "${title}"\n`
  using city = cityFiles({
    'city.toml':
      '[[agent]]\nname = "a"\nstart_command = "x"\ndefault_sling_formula = "good"\n' +
      '[[agent]]\nname = "b"\nstart_command = "x"\ndefault_sling_formula = "mol-do-work"\n',
    'orders/nightly.toml': '[order]\ntrigger = "manual"\nformula = "god"\npool = "a"\n',
    'formulas/good.toml': `formula = "good"\n[vars.who]\n${step('{{ who }} {{issue}} {{rig_name}}')}description = "{{zz}}"\n`,
    'formulas/open.toml': `formula = "open"\n[vars.topic]\n${step('{{ topik }}')}`,
    'formulas/twice.toml': `formula = "twice"\n[vars]\nx = "{{y}}"\ny = "1"\n${step('{{x}}')}`,
    'formulas/exp.toml':
      'formula = "exp"\ntype = "expansion"\n[vars]\nx = ""\n[[template]]\nid = "t"\ntitle = "{x} {z}"\n',
    'formulas/uses.toml': `formula = "uses"\n${step('T')}expand = "exp"\nexpand_vars = { x = "1", z = "2", typo = "3" }\n`,
  })
  const errors = [
    'formulas/open.toml:3: step "a": title names {{topik}}, which [vars] does not declare: no run starts without --var topik=<value>; did you mean "topic"?',
    'formulas/twice.toml:5: step "a": title names {{x}}, whose default names {{y}}: variables are filled once, so it is left in the title',
    'agent "b" default_sling_formula: there is no formula "mol-do-work" in the formula folders of this city and its packs; it is in the pack core, which is not imported: gc import add https://github.com/gastownhall/gascity.git//internal/bootstrap/packs/core --name core',
    'orders/nightly.toml: [order] formula: there is no formula "god" in the formula folders of this city and its packs; did you mean "good"?',
  ]
  const { status, out } = await lint(city.path, '--json')
  expect([status, JSON.parse(out).packs[0]]).toEqual([
    1,
    expect.objectContaining({
      errors,
      warnings: ['formulas/uses.toml:2: step "a": the variable "typo" has no effect: "exp" does not name it'],
    }),
  ])
  using home = tempFolder()
  const shown = await gc(['config', 'show', '--validate', '--city', city.path], { env: { GC_HOME: home.path } })
  expect([shown.status, shown.err]).toEqual([1, `gc: ${errors.join('\n')}\n`])
}, 15_000)

test('gc lint and gc config show --validate find what keeps the formulas of a city’s packs from being run', async () => {
  using folder = cityFiles({
    'city/city.toml':
      '[imports.p]\nsource = "../p"\n[[rigs]]\nname = "r"\npath = "../r"\n[[agent]]\nname = "a"\ndir = "r"\nstart_command = "x"\n',
    'p/pack.toml': pack('p'),
    'p/formulas/lost.toml': 'formula = "lost"\nextends = ["mol-do-work"]\n',
    'p/formulas/aimed.toml': `formula = "aimed"\n${GRAPH}metadata = { "gc.run_target" = "nobody" }\n`,
    'p/formulas/fine.toml': `formula = "fine"\n${GRAPH}metadata = { "gc.run_target" = "a" }\n`,
    'r/.keep': '',
  })
  const errors = [
    `${folder.pathOf('p/formulas/lost.toml')}:2: there is no formula "mol-do-work" in the formula folders of this city and its packs; it is in the pack core, which is not imported: gc import add https://github.com/gastownhall/gascity.git//internal/bootstrap/packs/core --name core`,
    `${folder.pathOf('p/formulas/aimed.toml')}:1: step "a": gc.run_target "nobody" is not an agent of this city or its rigs: gc agent list`,
  ]
  const { status, out } = await lint(folder.pathOf('city'), '--json')
  expect([status, JSON.parse(out).packs[0].errors]).toEqual([1, errors])
  using home = tempFolder()
  const env = { GC_HOME: home.path }
  const shown = await gc(['config', 'show', '--validate', '--city', folder.pathOf('city')], { env })
  expect([shown.status, shown.err]).toEqual([1, `gc: ${errors.join('\n')}\n`])
  expect((await gc(['config', 'show', '--city', folder.pathOf('city')], { env })).status).toBe(0)
}, 15_000)
