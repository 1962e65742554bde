import type { ProviderKey } from '../../host/protocol/index.ts'
import { confinedProgram } from '../../programs/confinements.ts'
import { asObject, isObject, parseJson } from '../../programs/entries/index.ts'

/** Placeholders a program gets for the keys of its provider, which its proxy holds. */
export interface KeptKeys {
  keys: ProviderKey[]
  /** Variables that it is not given. */
  without: ReadonlySet<string>
  env: Record<string, string>
  args: string[]
}

/** Takes the keys of a provider out of the variables that its program would be given. */
export function keepKeys(
  provider: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
): KeptKeys {
  const kept: KeptKeys & { without: Set<string> } = { keys: [], without: new Set(), env: {}, args: [] }
  const configs: object[] = []
  const { keys, configVariable } = confinedProgram(provider)
  for (const api of keys?.(variables) ?? []) {
    const found = api.keys.find(({ variable }) => variables[variable]?.trim())
    const value = found && variables[found.variable]?.trim()
    const url = (api.address && variables[api.address]?.trim()) || api.usual
    if (!found || !value || !isAddress(url)) continue
    kept.keys.push({ name: api.name, url, header: found.header, value: `${found.prefix ?? ''}${value}` })
    for (const { variable } of api.keys) kept.without.add(variable)
    for (const [name, text] of Object.entries(variables)) if (text?.includes(value)) kept.without.add(name)
    Object.assign(kept.env, api.env)
    kept.args.push(...(api.args ?? []))
    if (api.config) configs.push(api.config)
  }
  if (configs.length > 0 && configVariable !== undefined)
    kept.env[configVariable] = configWith(configs, variables[configVariable], kept.keys)
  return kept
}

/** The configuration that was declared, without keys, and what leads the program to the proxy instead. */
function configWith(configs: readonly object[], declared: string | undefined, keys: readonly ProviderKey[]): string {
  const safe = keys.reduce(
    (text, { value }) => text.replaceAll(value.replace(/^Bearer /, ''), '{key}'),
    declared ?? '{}',
  )
  return JSON.stringify(configs.reduce<object>(merged, asObject(parseJson(safe))))
}

/** One object over another, and the objects in it likewise. */
function merged(lower: object, higher: object): object {
  const values = Object.entries(higher).map(([name, value]): [string, unknown] => {
    const below: unknown = Reflect.get(lower, name)
    return [name, isObject(below) && isObject(value) ? merged(below, value) : value]
  })
  return { ...lower, ...Object.fromEntries(values) }
}

const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
