import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Town } from './town.ts'

/** An agent that is there to be named, and starts nothing. */
export const CLERK = '[[agent]]\nname = "clerk"\nstart_command = "true"\nmax_active_sessions = 3\nsuspended = true\n'
const REQUIRES = '[requires]\nformula_compiler = ">=2.0.0"\n'
const TEXT = 'Do what the bead says, and no more. '.repeat(6)

/** Writes a formula into a city of a town. */
export function declareFormula(town: Town, city: string, name: string, steps: string): void {
  const folder = join(town.at(city), 'formulas')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.toml`), formulaText(name, steps))
}

/** The file of a formula. */
export const formulaText = (name: string, steps: string): string => `formula = "${name}"\n${REQUIRES}${steps}`

/** So many steps in chains beside each other, each step with what else it says. */
export function chains(steps: number, beside: number, more = ''): string {
  const step = (n: number) => {
    const needs = n < beside ? '' : `needs = ["s${n - beside}"]\n`
    return `[[steps]]\nid = "s${n}"\ntitle = "Step ${n}"\ndescription = "${TEXT}"\n${needs}${more}`
  }
  return Array.from({ length: steps }, (_, n) => step(n)).join('')
}

/** Starts a run; the id of its root. */
export async function sling(town: Town, city: string, formula: string): Promise<string> {
  return town.once(async (wire) => {
    const body = await wire.json('POST', `/v0/city/${city}/sling`, { target: 'clerk', formula })
    return body.root_bead_id
  })
}
