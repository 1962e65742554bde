import { describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTown, shareTown, type Town } from './town.ts'

const LINE =
  'formula = "line"\ndescription = "two steps"\n[requires]\nformula_compiler = ">=2.0.0"\n[vars]\ntopic = "bridges"\n' +
  '[[steps]]\nid = "plan"\ntitle = "Plan {{topic}}"\n[[steps]]\nid = "build"\ntitle = "Build"\nneeds = ["plan"]\n'

let town: Town
shareTown((opened) => {
  town = opened
  mkdirSync(join(town.city, 'formulas'), { recursive: true })
  writeFileSync(join(town.city, 'formulas/line.toml'), LINE)
  writeFileSync(join(town.city, 'formulas/broken.toml'), 'formula = "broken"\n[[steps]]\nid = "a"\n')
  const loose = 'formula = "loose"\n[[steps]]\nid = "a"\ntitle = "A"\nneeds = ["nobody"]\n'
  writeFileSync(join(town.city, 'formulas/loose.toml'), loose)
})

describe('gc formula', () => {
  test('list names formulas, and says what is wrong with each that does not compile', async () => {
    const { status, out, err } = await town.gc(['formula', 'list'])
    expect([status, out]).toEqual([0, 'broken\nline\nloose\n'])
    expect(err).toContain('formulas/broken.toml:3: step "a": title is missing')
    expect(err).toContain('formulas/loose.toml:2: step "a": needs names "nobody"')
    expect(await town.json(['formula', 'list'])).toMatchObject({
      ...{ schema_version: '1', ok: true, city_path: town.city, search_paths: [join(town.city, 'formulas')] },
      formulas: [
        { name: 'broken' },
        { name: 'line', source: join(town.city, 'formulas/line.toml') },
        { name: 'loose' },
      ],
    })
  })

  test('list says what to do where there are none', async () => {
    await using bare = await openTown()
    const sentence = 'There are no formulas: put NAME.toml into the formulas folder of the city, or import a pack.\n'
    expect(await bare.gc(['formula', 'list'])).toMatchObject({ status: 0, out: sentence, err: '' })
  })

  test('show draws the compiled graph, with variables put in when there are any', async () => {
    expect((await town.gc(['formula', 'show', 'line'])).out).toBe(
      'Formula: line\nDescription: two steps\n\nOptional vars:\n  {{topic}}:  (default=bridges)\n\nSteps (3):\n' +
        '  ├── line.plan: Plan {{topic}}\n  ├── line.build: Build [needs: line.plan]\n' +
        '  └── line.workflow-finalize: Finalize workflow [needs: line.build]\n',
    )
    expect((await town.gc(['formula', 'show', 'line', '--var', 'topic=roads'])).out).toContain('Plan roads')
    const { out } = await town.gc(['formula', 'show', 'line', '--mermaid'])
    expect(out.split('\n').slice(0, 3)).toEqual([
      ...['flowchart TD', '  n0(["line: line · workflow"])', '  n1["line.plan: Plan {{topic}}"]'],
    ])
    expect(await town.json(['formula', 'show', 'line'])).toMatchObject({ steps: [{ is_root: true }, {}, {}, {}] })
    expect((await town.gc(['formula', 'show', 'lime'])).err).toEndWith('; did you mean "line"?\n')
    const missing = await town.gc(['formula', 'show', 'nope'])
    expect([missing.status, missing.err]).toEqual([1, expect.stringContaining('formula "nope" not found')])
  })

  test('validate ends with 1 when something is wrong: in all, in one, in a file', async () => {
    expect((await town.gc(['formula', 'validate'])).status).toBe(1)
    const good = await town.gc(['formula', 'validate', 'line'])
    expect([good.status, good.out]).toEqual([0, '1 formula: no errors, 0 warnings.\n'])
    writeFileSync(town.at('mine.toml'), LINE)
    const file = await town.gc(['formula', 'validate', town.at('mine.toml')])
    expect([file.status, file.err]).toEqual([1, expect.stringContaining('does not match path name "mine"')])
  })

  test('version-check ends with 0 only while the file has the hash', async () => {
    const { hash } = await town.json<{ hash: string }>(['formula', 'show', 'line'])
    expect((await town.gc(['formula', 'version-check', 'line', hash])).status).toBe(0)
    expect((await town.gc(['formula', 'version-check', 'line', 'f00'])).status).toBe(1)
    expect((await town.gc(['formula', 'version-check', 'line'])).err).toContain('compared with what?')
  })

  test('takes the value of a variable as it is given, and names unknown and missing ones before anything is made', async () => {
    writeFileSync(
      join(town.city, 'formulas/greet.toml'),
      'formula = "greet"\n[metadata.gc.methodology]\nname = "x"\n[vars.name]\nrequired = true\n' +
        '[[steps]]\nid = "a"\ntitle = "Greet {{ name }}"\ndescription = "{{name}}"\n',
    )
    const value = 'name=Vue {{path}} fix'
    expect((await town.gc(['formula', 'cook', 'greet', '--var', value])).status).toBe(0)
    expect((await town.bd(['list', '--title-contains', 'Vue'])).out).toContain('Greet Vue {{path}} fix')
    const shown = await town.json<{ metadata: object; steps: object[] }>(['formula', 'show', 'greet', '--var', value])
    expect(shown.steps[1]).toMatchObject({ title: 'Greet Vue {{path}} fix', description: 'Vue {{path}} fix' })
    expect(shown.metadata).toEqual({ gc: { methodology: { name: 'x' } } })
    const cooked = await town.gc(['formula', 'cook', 'greet', '--var', 'nme=1'])
    expect([cooked.status, cooked.err]).toEqual([
      1,
      'gc: instantiating formula "greet":\n  - unknown variable "nme"; did you mean "name"?\n  - variable "name" is required\n',
    ])
    for (const words of [['show'], ['preview', '--target', 'x']]) {
      const { err } = await town.gc(['formula', ...words, 'greet', '--var', 'nme=1'])
      expect(err).toBe('gc: formula "greet": unknown variable "nme"; did you mean "name"?\n')
    }
    rmSync(join(town.city, 'formulas/greet.toml'))
  })

  test('preview and catalog', async () => {
    const { out } = await town.gc(['formula', 'preview', 'line', '--target', 'worker', '--var', 'topic=roads'])
    expect(out).toBe('line.plan: Plan roads\nline.build: Build\n')
    expect((await town.gc(['formula', 'catalog'])).out).toBe('No formula has a [catalog] with its name.\n')
  })
})
