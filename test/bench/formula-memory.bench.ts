import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { memory, ms, Table } from './support/figures.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * The most memory that the server takes while it compiles, shows, lists and checks large formulas, beyond what it had before:
 * `bun test/bench/formula-memory.bench.ts [steps]`.
 */

const STEPS = Number(process.argv[2] ?? 20_000)
const TARGET_MB = 100
const SAMPLE_MS = 20

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)
const HEAD = '[requires]\nformula_compiler = ">=2.0.0"\n'

/** Each step needs those before it, as many as `needs`. */
function chain(name: string, needs: number): string {
  const step = (n: number) => {
    const before = numbers(Math.min(n, needs)).map((k) => `"s${n - 1 - k}"`)
    return `[[steps]]\nid = "s${n}"\ntitle = "Step ${n}"\nneeds = [${before}]\n`
  }
  return `formula = "${name}"\n${HEAD}${numbers(STEPS).map(step).join('')}`
}

const LOOP = `formula = "looped"\n${HEAD}[[steps]]\nid = "l"\ntitle = "l"\n[steps.loop]\ncount = ${Math.ceil(STEPS / 8)}\n${numbers(
  8,
)
  .map((n) => `[[steps.loop.body]]\nid = "b${n}"\ntitle = "Body ${n}"\n`)
  .join('')}`
const FORMULAS: Record<string, string> = { chained: chain('chained', 1), woven: chain('woven', 8), looped: LOOP }

await using town = await Town.open()
const city = await town.city('big', '')
const folder = town.at('big', 'formulas')
mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(FORMULAS)) writeFileSync(join(folder, `${name}.toml`), text)
const wire = await Wire.open(town.url)
const table = new Table()

/** The most memory during a request beyond that before it, and how long it took. */
async function measure(what: string, request: () => Promise<unknown>): Promise<void> {
  for (const round of ['first', 'again']) {
    const before = memory(town.pid).resident
    let peak = before
    const sampling = setInterval(() => {
      peak = Math.max(peak, memory(town.pid).resident)
    }, SAMPLE_MS)
    const begun = performance.now()
    await request()
    const took = performance.now() - begun
    clearInterval(sampling)
    const extra = peak - before
    table.row(`${what}, ${round}`, `${extra.toFixed(0)} MB, ${ms(took)}`, `< ${TARGET_MB} MB`, extra < TARGET_MB)
  }
}

const scope = 'scope_kind=city&scope_ref=big'
for (const name of Object.keys(FORMULAS))
  await measure(`compile ${name}`, () => wire.json('POST', `${city}/formulas/${name}/compile`, {}))
await measure('show woven', () => wire.json('GET', `${city}/formulas/woven?${scope}&target=x`))
await measure('list all', () => wire.json('GET', `${city}/formulas?${scope}`))
await measure('check all', () => wire.json('GET', `${city}/formula-files`))
wire.close()
table.print(`memory beyond that before, for formulas of ${STEPS} steps`)
