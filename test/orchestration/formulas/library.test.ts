import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openWork, type Work } from '../../work/world.ts'

const GRAPH = '[requires]\nformula_compiler = ">=2.0.0"\n'

function declare(work: Work, name: string, body: string): void {
  const folder = join(work.town.path, 'formulas')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.toml`), `formula = "${name}"\n${GRAPH}${body}`)
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
