import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openWork, type Work } from '../../work/world.ts'

const GRAPH = '[requires]\nformula_compiler = ">=2.0.0"\n'

function declare(work: Work, name: string, body: string, head = ''): void {
  const folder = join(work.town.path, 'formulas')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.toml`), `formula = "${name}"\n${head}${GRAPH}${body}`)
}

const steps = (count: number) =>
  Array.from({ length: count }, (_, n) => `[[steps]]\nid = "s${n}"\ntitle = "Step ${n} of {{topic}}"\n`).join('')
const loop = (count: number) =>
  `[[steps]]\nid = "l"\ntitle = "L"\n[steps.loop]\ncount = ${count}\n[[steps.loop.body]]\nid = "s"\ntitle = "S"\n`

describe('a formula that takes long to compile', () => {
  test.each([
    ['a long file', steps(600), 601],
    ['many rounds of a loop', loop(1_000), 1_001],
  ])('is compiled beside the event loop, to the same recipe: %s', async (_, body, count) => {
    await using work = await openWork()
    declare(work, 'big', body)
    let isFree = false
    const compiling = work.formulaLibrary.compile('big', { topic: 'roads' })
    setTimeout(() => {
      isFree = true
    })
    const result = await compiling
    expect(isFree).toBe(true)
    const recipe = 'recipe' in result ? result.recipe : undefined
    expect(recipe).toMatchObject({ formula: 'big', shape: 'graph', variables: { values: { topic: 'roads' } } })
    expect(recipe?.steps.length).toBe(count)
    expect(recipe?.deps.at(-1)).toEqual({ from: 'big.workflow-finalize', to: 'big', kind: 'blocks' })
  })

  test('says what is wrong with it as any other', async () => {
    await using work = await openWork()
    declare(work, 'big', `${steps(600)}[[steps]]\nid = "x"\ntitle = "X"\nneeds = ["nobody"]\n`)
    const result = await work.formulaLibrary.compile('big')
    expect('errors' in result && result.errors).toMatchObject([
      { step: 'x', message: 'needs names "nobody", and there is no such step' },
    ])
  })
})

describe('formulas that take long to look at', () => {
  const BROKEN = [{ step: 'x', message: 'needs names "nobody", and there is no such step' }]
  const broken = (count: number) =>
    `[vars.topic]\n${steps(count)}[[steps]]\nid = "x"\ntitle = "X"\nneeds = ["nobody"]\n`

  test('are listed and linted beside the event loop, as short ones are', async () => {
    await using work = await openWork()
    const { formulaLibrary: library } = work
    declare(work, 'other', 'description = "Small"\n[vars.topic]\ndefault = "roads"\n[[steps]]\nid = "s"\ntitle = "S"\n')
    declare(work, 'sick', broken(2))
    const [listed, reports] = [await library.list(), await library.lint()]
    declare(work, 'sick', broken(600))
    let isFree = false
    setTimeout(() => {
      isFree = true
    })
    expect(await library.list()).toEqual(listed)
    expect(isFree).toBe(true)
    const long = await library.lint()
    expect(long.map(({ name }) => name)).toEqual(reports.map(({ name }) => name))
    expect(long.find(({ name }) => name === 'other')).toEqual(reports.find(({ name }) => name === 'other'))
    expect(long.find(({ name }) => name === 'sick')).toMatchObject({ errors: BROKEN })
  })

  test('are parsed and compiled again only when a file that they are made of has changed', async () => {
    await using work = await openWork()
    const { formulaLibrary: library } = work
    declare(work, 'big', steps(600))
    declare(work, 'base', steps(2))
    declare(work, 'heir', '', 'extends = ["base"]\n')
    declare(work, 'sick', '[[steps]]\nid = "s"\ntitle = "S"\nexpand = "bigg"\n')
    const [listed, reports] = [await library.list(), await library.lint()]
    const same = <Item>(before: readonly Item[], now: readonly Item[]) => now.map((item, at) => item === before[at])
    expect(same(listed, await library.list())).toEqual([true, true, true, true])
    expect(same(reports, await library.lint())).toEqual([true, true, true, true])
    declare(work, 'base', broken(2))
    const changed = await library.lint()
    expect(changed.map(({ name }) => name)).toEqual(['base', 'big', 'heir', 'sick'])
    expect(same(reports, changed)).toEqual([false, true, false, true])
    expect(changed[2]?.errors).toHaveLength(1)
    declare(work, 'bigg', '[[template]]\nid = "{target}.x"\ntitle = "X"\n', 'type = "expansion"\n')
    expect((await library.lint()).at(-1)).toMatchObject({ name: 'sick', errors: [] })
    expect((await library.lint()).find(({ name }) => name === 'big')).toBe(reports[1])
  })

  test('are judged beside the event loop before they are saved', async () => {
    await using work = await openWork()
    const draft = { name: 'sick', text: `formula = "sick"\n${GRAPH}${broken(600)}` }
    let isFree = false
    const judging = work.formulaLibrary.judge(draft)
    setTimeout(() => {
      isFree = true
    })
    expect(await judging).toEqual([expect.stringContaining('step x: needs names "nobody"')])
    expect(isFree).toBe(true)
  })
})
