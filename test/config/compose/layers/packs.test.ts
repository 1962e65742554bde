import { describe, expect, test } from 'bun:test'
import { compose } from '../../../../src/config/compose/compose.ts'
import { formatDiagnostic } from '../../../../src/config/files/diagnostics.ts'
import { FileSnapshot } from '../../../../src/config/files/file-snapshot.ts'
import { cityFiles } from '../../city-files.ts'

const pack = (name: string, rest = '') => `[pack]\nname = "${name}"\nschema = 2\n${rest}`
const RUNS = 'start_command = "x"\n'

/** A city that imports the pack `crew` and has two rigs. */
const TOWN = {
  'city.toml': '[[rigs]]\nname = "shop"\npath = "shop"\n[[rigs]]\nname = "lib"\npath = "lib"\n',
  'pack.toml': pack('town', '[imports.c]\nsource = "./packs/crew"\n'),
  'packs/crew/pack.toml': pack('crew'),
}

function composed(files: Record<string, string>) {
  using city = cityFiles(files)
  const composition = compose(new FileSnapshot(city.path))
  const sentences = (list: typeof composition.errors) =>
    list.map((each) => formatDiagnostic(each).replaceAll(city.path, '$'))
  return {
    ...{ composition, config: composition.config },
    names: composition.config.agents.map(({ qualified }) => qualified),
    errors: sentences(composition.errors),
    warnings: sentences(composition.warnings),
  }
}

describe('an import of the city', () => {
  test('brings its agents to the city and to each rig, as their scopes say', () => {
    const { names, errors } = composed({
      ...TOWN,
      'packs/crew/agents/anywhere/agent.toml': RUNS,
      'packs/crew/agents/mayor/agent.toml': `scope = "city"\n${RUNS}`,
      'packs/crew/agents/worker/agent.toml': `scope = "rig"\n${RUNS}`,
    })
    expect(errors).toEqual([])
    expect(names).toEqual([
      ...['c.anywhere', 'c.mayor', 'shop/c.anywhere', 'shop/c.worker', 'lib/c.anywhere', 'lib/c.worker'],
    ])
  })

  test('leaves out a rig that imports something by its name', () => {
    const { names } = composed({
      ...TOWN,
      'city.toml': `${TOWN['city.toml']}[rigs.imports.c]\nsource = "./packs/other"\n`,
      'packs/crew/agents/a/agent.toml': RUNS,
      'packs/other/pack.toml': pack('other'),
      'packs/other/agents/b/agent.toml': RUNS,
    })
    expect(names).toEqual(['c.a', 'shop/c.a', 'lib/c.b'])
  })

  test('may be named without a binding by a city without a pack.toml, or by one of its rigs', () => {
    const packs = {
      'packs/crew/pack.toml': pack('crew', '[[named_session]]\ntemplate = "mayor"\nscope = "city"\n'),
      'packs/crew/agents/anywhere/agent.toml': RUNS,
      'packs/crew/agents/mayor/agent.toml': `scope = "city"\n${RUNS}`,
      'packs/crew/agents/worker/agent.toml': `scope = "rig"\n${RUNS}`,
    }
    const includes = 'includes = ["packs/crew"]\n'
    const ofCity = composed({ ...packs, 'city.toml': `[workspace]\n${includes}${TOWN['city.toml']}` })
    expect([ofCity.errors, ofCity.warnings]).toEqual([[], []])
    const inRigs = ['shop', 'lib'].flatMap((rig) => [`${rig}/anywhere`, `${rig}/worker`])
    expect(ofCity.names).toEqual(['anywhere', 'mayor', ...inRigs])
    const ofRig = composed({ ...packs, 'city.toml': `${TOWN['city.toml']}${includes}` })
    expect([ofRig.errors, ofRig.warnings]).toEqual([[], []])
    expect(ofRig.names).toEqual(['lib/anywhere', 'mayor', 'lib/worker'])
    expect(ofRig.config.namedSessions.map(({ name }) => name)).toEqual(['mayor'])
  })

  test('without a binding is refused where there is no pack, and unread where other programs unpacked it', () => {
    const including = (source: string) => composed({ 'city.toml': `[workspace]\nincludes = ["${source}"]\n` })
    expect(including('packs/none').errors).toEqual([
      'city.toml:2: [workspace] includes: there is no pack.toml for import "packs/none" in $/packs/none',
    ])
    for (const source of ['.gc/system/packs/other', 'crew']) {
      const { errors, warnings } = including(source)
      expect([errors, warnings]).toEqual([[], [expect.stringContaining(`[workspace] includes: "${source}" is`)]])
    }
    expect(including('.gc/system/packs/core').warnings[0]).toEndWith(
      'take it out and run `gc import add https://github.com/gastownhall/gascity.git//internal/bootstrap/packs/core --name core`',
    )
    expect(including('.gc/system/packs/dolt').warnings[0]).toEndWith('which gc does not need: remove it')
  })

  test('may be an import of city.toml, which wins and is warned of', () => {
    const { names, warnings } = composed({
      ...TOWN,
      'city.toml': '[imports.c]\nsource = "packs/other"\n',
      'packs/other/pack.toml': pack('other'),
      'packs/other/agents/b/agent.toml': RUNS,
    })
    expect(names).toEqual(['c.b'])
    expect(warnings).toEqual(['city.toml:1: imports: still works here; its place is pack.toml'])
  })

  test('is an error that says what is missing', () => {
    expect(composed({ ...TOWN, 'pack.toml': pack('town', '[imports.x]\nsource = "./none"\n') }).errors).toEqual([
      'pack.toml:5: [imports.x] source: there is no pack.toml for import "x" in $/none',
    ])
  })
})

describe('an import of a rig', () => {
  test('brings agents to the rig, and those of scope city to the city once', () => {
    const { names } = composed({
      ...TOWN,
      'city.toml':
        '[[rigs]]\nname = "shop"\npath = "s"\n[rigs.imports.k]\nsource = "packs/crew"\n[[rigs]]\nname = "lib"\npath = "l"\n[rigs.imports.k]\nsource = "packs/crew"\n',
      'pack.toml': pack('town'),
      'packs/crew/agents/mayor/agent.toml': `scope = "city"\n${RUNS}`,
      'packs/crew/agents/worker/agent.toml': RUNS,
    })
    expect(names).toEqual(['k.mayor', 'shop/k.worker', 'lib/k.worker'])
  })

  test('may not bring a service', () => {
    const { errors } = composed({
      'city.toml': '[[rigs]]\nname = "shop"\npath = "s"\n[rigs.imports.k]\nsource = "packs/crew"\n',
      'packs/crew/pack.toml': pack('crew', '[[service]]\nname = "s"\n'),
    })
    expect(errors).toEqual([
      'city.toml:5: [rigs.imports.k] source: pack "crew" has services, which only the city may import',
    ])
  })
})

describe('packs that import packs', () => {
  const NESTED = {
    'city.toml': '',
    'pack.toml': pack('town', '[imports.outer]\nsource = "packs/outer"\n'),
    'packs/outer/pack.toml': pack('outer', '[imports.inner]\nsource = "../inner"\n'),
    'packs/outer/agents/a/agent.toml': `${RUNS}depends_on = ["b"]\n`,
    'packs/inner/pack.toml': pack('inner'),
    'packs/inner/agents/b/agent.toml': RUNS,
  }

  test('bring what they import under the name of the consumer', () => {
    const { names, config, errors } = composed(NESTED)
    expect(errors).toEqual([])
    expect(names).toEqual(['outer.b', 'outer.a'])
    expect(config.agents[1]?.dependsOn).toEqual(['outer.b'])
    expect(config.packs.map(({ name, binding }) => [name, binding])).toEqual([
      ['inner', 'inner'],
      ['outer', 'outer'],
      ['town', undefined],
    ])
  })

  test('are known by the outer name when it is exported', () => {
    const files = { ...NESTED, 'pack.toml': NESTED['pack.toml'].replace('\n[imports', '\n[imports') }
    const { config } = composed({ ...files, 'pack.toml': `${files['pack.toml']}export = true\n` })
    expect(config.packs.map(({ name, binding }) => [name, binding])).toContainEqual(['inner', 'outer'])
  })

  test('are left out when the import is not transitive', () => {
    const { names, config } = composed({ ...NESTED, 'pack.toml': `${NESTED['pack.toml']}transitive = false\n` })
    expect(names).toEqual(['outer.a'])
    expect(config.agents[0]?.broken).toContain('there is no agent "outer.b"')
  })

  test('in a circle are an error that names it', () => {
    const inner = pack('inner', '[imports.outer]\nsource = "../outer"\n')
    expect(composed({ ...NESTED, 'packs/inner/pack.toml': inner }).errors).toEqual([
      'packs/inner/pack.toml:5: [imports.outer] source: packs import each other in a circle: packs/outer → packs/inner → packs/outer',
    ])
  })

  test('may share one pack', () => {
    const { names, errors } = composed({
      ...NESTED,
      'pack.toml': `${NESTED['pack.toml']}[imports.inner]\nsource = "packs/inner"\n`,
    })
    expect(errors).toEqual([])
    expect(names).toEqual(['inner.b', 'outer.b', 'outer.a'])
  })

  test('may not bring two agents of one name from two folders', () => {
    const { errors } = composed({ ...NESTED, 'packs/inner/agents/a/agent.toml': RUNS })
    expect(errors).toEqual([
      'pack.toml:5: [imports.outer] source: both $/packs/inner and $/packs/outer bring agent "outer.a"; import one by another name',
    ])
  })
})

describe('an agent of a pack', () => {
  test('that is declared wrongly harms no one else', () => {
    const { config, errors, warnings } = composed({
      ...TOWN,
      'city.toml': '',
      'packs/crew/agents/bad/agent.toml': 'provider = x\n',
      'packs/crew/agents/worse/agent.toml': `${RUNS}min_active_sessions = 3\nmax_active_sessions = 1\n`,
      'packs/crew/agents/good/agent.toml': RUNS,
    })
    expect(errors).toEqual([])
    expect(config.agents.map(({ name, broken }) => [name, broken])).toEqual([
      ['c.bad', expect.stringContaining('packs/crew/agents/bad/agent.toml:1: is not TOML')],
      ['c.good', undefined],
      ['c.worse', expect.stringContaining('worse/agent.toml:2: min_active_sessions: 3 is more than')],
    ])
    expect(warnings[0]).toContain('the agent does not start until this is fixed')
  })

  test('has the files of its pack, and a prompt and names by convention', () => {
    const { config, errors } = composed({
      ...TOWN,
      'city.toml': '',
      'packs/crew/agents/one/agent.toml': `${RUNS}prompt_template = "assets/one.md"\n`,
      'packs/crew/assets/one.md': 'one',
      'packs/crew/agents/two/prompt.md': 'two',
      'packs/crew/agents/two/namepool.txt': 'ann\nben\n',
      'packs/crew/agents/three/agent.toml': `${RUNS}prompt_template = "base//p.md"\n`,
      'packs/crew/pack.toml': pack('crew', '[imports.b]\nsource = "../base"\n'),
      'packs/base/pack.toml': pack('base'),
      'packs/base/p.md': 'three',
    })
    expect(errors).toEqual([])
    expect(config.agents.map(({ name, prompt, namepool }) => [name, prompt?.text, namepool])).toEqual([
      ['c.one', 'one', []],
      ['c.three', 'three', []],
      ['c.two', 'two', ['ann', 'ben']],
    ])
  })

  test('is not warned of for keys without effect, which are shown once a pack where files are checked', () => {
    const agent = `fallback = true\n${RUNS}`
    const { composition, errors, warnings } = composed({
      ...TOWN,
      'packs/crew/agents/a/agent.toml': agent,
      'packs/crew/agents/b/agent.toml': `${agent}nudge = "go"\n`,
      'packs/crew/agents/c/agent.toml': `typo = 1\n${agent}`,
    })
    expect([errors, warnings]).toEqual([[], []])
    expect(composition.allWarnings.map(formatDiagnostic)).toEqual([
      'packs/crew/agents/a/agent.toml:1: fallback: has no effect, here or elsewhere; take it out; also in 2 more agents of this pack',
      'packs/crew/agents/b/agent.toml:3: nudge: has no effect: the first prompt says what to do',
      'packs/crew/agents/c/agent.toml:1: typo: is not a section or key of this file',
    ])
  })

  test('cannot give permissions to its sessions', () => {
    const { config, warnings } = composed({
      ...TOWN,
      'city.toml': '',
      'packs/crew/agents/a/agent.toml': `${RUNS}may = ["configure"]\n`,
    })
    expect(config.agents[0]?.may).toEqual([])
    expect(warnings[0]).toContain('a pack cannot give permissions to its agents')
  })

  test('is not hidden by one of the city of the same bare name, which is warned of unless the import asks for it', () => {
    const files = { ...TOWN, 'city.toml': '', 'agents/a/agent.toml': RUNS, 'packs/crew/agents/a/agent.toml': RUNS }
    const { names, warnings } = composed(files)
    expect(names).toEqual(['c.a', 'a'])
    expect(warnings).toEqual([
      'agents/a/agent.toml:1: name: does not replace "c.a" of the imported pack; shadow = "silent" says that both are meant',
    ])
    expect(composed({ ...files, 'pack.toml': `${files['pack.toml']}shadow = "silent"\n` }).warnings).toEqual([])
  })
})

test('all named sessions of a pack are there, though they are called like their agents', () => {
  const session = (template: string, scope: string) =>
    `[[named_session]]\ntemplate = "${template}"\nscope = "${scope}"\nmode = "always"\n`
  const { config, errors } = composed({
    ...TOWN,
    'city.toml': '[[rigs]]\nname = "shop"\npath = "shop"\n',
    'packs/crew/pack.toml': pack(
      'crew',
      session('mayor', 'city') + session('deacon', 'city') + session('witness', 'rig') + session('refinery', 'rig'),
    ),
    ...Object.fromEntries(
      ['mayor', 'deacon', 'witness', 'refinery'].map((name) => [`packs/crew/agents/${name}/agent.toml`, RUNS]),
    ),
  })
  expect(errors).toEqual([])
  expect(config.namedSessions.map(({ qualified, template }) => [qualified, template])).toEqual([
    ['c.mayor', 'c.mayor'],
    ['c.deacon', 'c.deacon'],
    ['shop/c.witness', 'shop/c.witness'],
    ['shop/c.refinery', 'shop/c.refinery'],
  ])
})

test('fragments come from packs in their order, the city, and what lies beside the prompt, the last of a name winning', () => {
  const fragment = '{{ define "who" }}x{{ end }}'
  const { config, errors } = composed({
    ...TOWN,
    'city.toml': '',
    'pack.toml': pack('town', '[imports.c]\nsource = "./packs/crew"\n[imports.a]\nsource = "./packs/other"\n'),
    'packs/other/pack.toml': pack('other'),
    'packs/other/template-fragments/who.template.md': fragment,
    'packs/crew/agents/a/agent.toml': RUNS,
    'packs/crew/agents/a/prompt.template.md': '{{ template "who" . }}',
    ...Object.fromEntries(
      [
        ...['packs/crew/prompts/shared/who.md.tmpl', 'packs/crew/template-fragments/b.template.md'],
        ...['packs/crew/template-fragments/a.template.md', 'packs/crew/template-fragments/z.md.tmpl'],
        ...['prompts/shared/who.md.tmpl', 'template-fragments/who.template.md'],
        ...['packs/crew/agents/a/shared/who.md.tmpl', 'packs/crew/agents/a/template-fragments/who.template.md'],
        'packs/crew/template-fragments/notes.md',
      ].map((file) => [file, fragment]),
    ),
  })
  expect(errors).toEqual([])
  const files = config.agents[0]?.prompt?.fragments.map(({ file }) => file.replace(/^.*?my-city\//, ''))
  expect(files).toEqual([
    'packs/other/template-fragments/who.template.md',
    'packs/crew/prompts/shared/who.md.tmpl',
    'packs/crew/template-fragments/z.md.tmpl',
    'packs/crew/template-fragments/a.template.md',
    'packs/crew/template-fragments/b.template.md',
    'prompts/shared/who.md.tmpl',
    'template-fragments/who.template.md',
    'packs/crew/agents/a/shared/who.md.tmpl',
    'packs/crew/agents/a/template-fragments/who.template.md',
  ])
})

describe('patches in a pack that is imported', () => {
  const crew = (patches: string) => ({
    ...TOWN,
    'city.toml': '',
    'packs/crew/pack.toml': pack('crew', `[[named_session]]\ntemplate = "a"\nmode = "always"\n${patches}`),
    'packs/crew/agents/a/agent.toml': RUNS,
  })

  test('change its named sessions, and one that hits none is an error', () => {
    const { config, errors } = composed(crew('[[patches.named_session]]\ntemplate = "a"\nmode = "on_demand"\n'))
    expect(errors).toEqual([])
    expect(config.namedSessions.map(({ qualified, mode }) => [qualified, mode])).toEqual([['c.a', 'on_demand']])
    expect(composed(crew('[[patches.named_session]]\nname = "b"\nmode = "always"\n')).errors).toEqual([
      'packs/crew/pack.toml:8: [[patches.named_session]] name: there is no named session "b"',
    ])
  })

  test('add programs whose hooks are installed, or replace them', () => {
    const hooks = (patches: string) => {
      const { config, warnings } = composed({
        ...crew(patches),
        'city.toml': '[workspace]\ninstall_agent_hooks = ["gemini"]\n',
      })
      return [config.agents.find(({ name }) => name === 'c.a')?.brings.hooks, warnings]
    }
    const patch = (keys: string) => `[[patches.agent]]\nname = "a"\n${keys}`
    const own = patch('install_agent_hooks = ["codex"]\n')
    expect(hooks(own + patch('install_agent_hooks_append = ["claude"]\n'))[0]).toEqual(
      expect.arrayContaining(['codex', 'claude']),
    )
    expect(hooks(own)[0]).not.toContain('claude')
    expect(hooks(own + patch('install_agent_hooks_append = ["claude"]\n'))[1]).toEqual([])
  })
})

test('pack.toml may name commands and checks itself, and says what is wrong with one', () => {
  const { config, errors } = composed({
    ...TOWN,
    'packs/crew/pack.toml': pack(
      'crew',
      '[[commands]]\nname = "tidy"\nscript = "bin/tidy.sh"\n[[doctor]]\nname = "dust"\nscript = "bin/dust.sh"\nwarmup = true\n',
    ),
  })
  expect(errors).toEqual([])
  expect(config.packs.find(({ name }) => name === 'crew')?.scripts).toEqual({
    commands: [{ name: 'tidy', script: 'bin/tidy.sh' }],
    checks: [{ name: 'dust', script: 'bin/dust.sh', warmup: true }],
  })
  const broken = composed({ ...TOWN, 'packs/crew/pack.toml': pack('crew', '[[commands]]\nname = "tidy"\n') })
  expect(broken.errors).toEqual(['packs/crew/pack.toml:4: [[commands]] script: is required'])
})

describe('a pack.toml', () => {
  test.each([
    [
      'an unknown key',
      pack('p', 'nonsense_key = 1\n'),
      'pack.toml:4: [pack] nonsense_key: is not a key of this section',
    ],
    ['no schema', '[pack]\nname = "p"\n', 'pack.toml:1: [pack] schema: is required: schema = 2'],
    ['a newer schema', '[pack]\nname = "p"\nschema = 3\n', 'pack.toml:3: [pack] schema: must be 2 or less, not 3'],
    ['no name', '[pack]\nschema = 1\n', 'pack.toml:1: [pack] name: is required'],
    ['no TOML', '[pack', 'pack.toml:1: is not TOML: Unterminated table-key'],
  ])('with %s is refused', (_, text, message) => {
    expect(composed({ 'city.toml': '', 'pack.toml': text }).errors.at(-1)).toStartWith(message)
  })

  test('of an older form may name the folder of its formulas, if that is where they are', () => {
    const withFolder = (dir: string) =>
      composed({ 'city.toml': '', 'pack.toml': pack('town', `[formulas]\ndir = "${dir}"\n`) })
    expect([withFolder('formulas').errors, withFolder('formulas').warnings]).toEqual([[], []])
    expect(withFolder('recipes').errors).toEqual([
      'pack.toml:5: [formulas] dir: formulas live in formulas/; take this key out',
    ])
  })

  test('gives a city that has one an agent for each provider, in the city and in each rig', () => {
    const { names } = composed({
      'city.toml':
        '[workspace]\nprovider = "claude"\n[providers.sh]\ncommand = "sh"\n[[rigs]]\nname = "r"\npath = "r"\n',
      'pack.toml': pack('town'),
    })
    expect(names).toEqual(['claude', 'sh', 'r/claude', 'r/sh'])
  })

  test('of schema 2 composes with the older includes of a rig, which are warned of', () => {
    const files = {
      'city.toml': '[[rigs]]\nname = "r"\npath = "r"\nincludes = ["./p"]\n',
      'p/pack.toml': pack('p'),
      'p/agents/a/agent.toml': `scope = "rig"\n${RUNS}`,
    }
    const warning =
      'city.toml:4: [[rigs]] includes: is the older form of [rigs.imports.p] with source = "./p", and still works'
    const beside = composed({ ...files, 'pack.toml': pack('town') })
    expect([beside.errors, beside.warnings, beside.names]).toEqual([[], [warning], ['r/a']])
    const alone = composed(files)
    expect([alone.errors, alone.warnings, alone.names]).toEqual([[], [], ['r/a']])
  })

  test.each([
    [
      `[[agent]]\nname = "a"\n${RUNS}`,
      'city.toml:1: agent: beside a pack.toml of schema 2 agents are folders: move each block to its own file, agents/a/agent.toml',
    ],
    [
      '[packs.p]\nsource = "x"\n',
      'city.toml:1: packs: beside a pack.toml of schema 2 packs are imports: write [imports.<name>] with source = "<source>" in pack.toml',
    ],
    [
      '[workspace]\nincludes = ["packs/p", "https://x.test/y.git//q#v1"]\n',
      'city.toml:2: [workspace] includes: beside a pack.toml of schema 2 packs are imports: write [imports.p] with source = "packs/p", [imports.q] with source = "https://x.test/y.git//q#v1" in pack.toml',
    ],
    [
      '[workspace]\ndefault_rig_includes = ["packs/p"]\n',
      'city.toml:2: [workspace] default_rig_includes: beside a pack.toml of schema 2 these are imports: write [defaults.rig.imports.p] with source = "packs/p"',
    ],
  ])('of schema 2 names what replaces an older form of city.toml: %j', (text, error) => {
    const files = { 'city.toml': text, 'packs/p/pack.toml': pack('p') }
    expect(composed({ ...files, 'pack.toml': pack('town') }).errors).toContain(error)
    expect(composed({ ...files, 'pack.toml': '[pack]\nname = "t"\nschema = 1\n' }).errors).not.toContain(error)
  })

  test('says what agents must be there', () => {
    const requires = '[[pack.requires]]\nscope = "city"\nagent = "mayor"\n'
    const { errors } = composed({ ...TOWN, 'packs/crew/pack.toml': pack('crew', requires) })
    expect(errors[0]).toBe(
      'packs/crew/pack.toml:6: [[pack.requires]] agent: pack "crew" needs an agent "mayor" in the city; import a pack that has one',
    )
  })
})

test('a rig without a path is known, and warned of', () => {
  const { config, errors, warnings } = composed({ 'city.toml': '[[rigs]]\nname = "a"\n' })
  expect(errors).toEqual([])
  expect(config.rigs.map(({ name, path }) => [name, path])).toEqual([['a', undefined]])
  expect(warnings).toEqual([
    'city.toml:1: [[rigs]] path: is missing, so that nothing runs in rig "a"; `gc rig add <folder> --name a` says where it is on this machine',
  ])
})

test('a city of two hundred packs composes', () => {
  const numbers = Array.from({ length: 200 }, (_, index) => index)
  const { names, errors } = composed({
    'city.toml': '',
    'pack.toml': pack('town', numbers.map((n) => `[imports.p${n}]\nsource = "packs/p${n}"\n`).join('')),
    ...Object.fromEntries(numbers.map((n) => [`packs/p${n}/pack.toml`, pack('same')])),
    ...Object.fromEntries(numbers.map((n) => [`packs/p${n}/agents/a/agent.toml`, RUNS])),
  })
  expect(errors).toEqual([])
  expect(names).toHaveLength(200)
})

test('the tables of TOML 1.1 may go over several lines', () => {
  const { config, errors } = composed({
    'city.toml': '[[agent]]\nname = "a"\nstart_command = "x"\nenv = {\n  A = "1",\n  B = "2",\n}\n',
  })
  expect(errors).toEqual([])
  expect(config.agents[0]?.env).toEqual({ A: '1', B: '2' })
})
