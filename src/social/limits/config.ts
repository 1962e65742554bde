import { type Static, Type } from '@sinclair/typebox'
import { parseDuration } from '../../core/durations.ts'
import { defaultSettings, type Limit, type LimitedAction, type Limits } from '../shared/index.ts'

const DAY = 86_400_000
const MAX = { count: 100_000, window: 30 * DAY, age: 365 * DAY }

/** The bounds of a limit in words. */
export const LIMIT_BOUNDS = 'the count is 1 to 100,000, and the period 1s to 30d'

const limit = Type.String({ pattern: '^[1-9][0-9]{0,5}/.+$', examples: ['50/1h'] })
const oneLimit = Type.Optional(limit)
const someLimits = Type.Optional(Type.Array(limit, { minItems: 1, maxItems: 4 }))
const perAction = <Schema>(schema: Schema) => ({
  ...{
    post: schema,
    comment: schema,
    edit: schema,
    vote: schema,
    follow: schema,
    submolt: schema,
    message: schema,
    request: schema,
    report: schema,
    verify: schema,
    picture: schema,
  },
})

const NewcomerTable = Type.Object(
  { age: Type.Optional(Type.String()), ...perAction(someLimits) },
  { additionalProperties: false },
)

/** `[limits]` of `social.toml`: `post = "1/30m"`. */
export const LimitsTable = Type.Object(
  {
    general: oneLimit,
    pages: oneLimit,
    register: oneLimit,
    ...perAction(oneLimit),
    newcomer: Type.Optional(Type.Union([Type.Literal(false), NewcomerTable])),
    repeats: Type.Optional(Type.Union([Type.Literal(false), Type.String()])),
    standing: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type LimitsTable = Static<typeof LimitsTable>

type ErrorFor = (problem: string) => Error

/** The limits of a table, with defaults for the rest; throws what `errorFor` makes of a mistake. */
export function parseLimits(table: LimitsTable, errorFor: ErrorFor): Limits {
  const { newcomer, repeats, standing = true, ...others } = table
  const parse = (name: string, text: string): Limit => {
    const [count = '', duration = ''] = text.split('/', 2)
    const window = parseBoundedDuration(duration, MAX.window)
    if (Number(count) > MAX.count || window === undefined)
      throw errorFor(`limits.${name}: ${text} is not a limit; write it like 50/1h: ${LIMIT_BOUNDS}`)
    return { count: Number(count), window }
  }
  const limits = Object.fromEntries(Object.entries(others).map(([name, text]) => [name, parse(name, text)]))
  return {
    ...{ ...defaultSettings.limits, ...limits, standing },
    ...{ newcomer: parseNewcomer(newcomer, parse, errorFor), repeats: parseRepeats(repeats, errorFor) },
  }
}

function parseRepeats(text: LimitsTable['repeats'], errorFor: ErrorFor): Limits['repeats'] {
  if (text === undefined) return defaultSettings.limits.repeats
  if (text === false) return undefined
  const window = parseBoundedDuration(text, MAX.window)
  if (window === undefined)
    throw errorFor(`limits.repeats: ${text} is not a duration; write it like 3d, from 1s to 30d`)
  return { window }
}

function parseNewcomer(
  table: LimitsTable['newcomer'],
  parse: (name: string, text: string) => Limit,
  errorFor: ErrorFor,
): Limits['newcomer'] {
  const defaults = defaultSettings.limits.newcomer
  if (table === undefined) return defaults
  if (table === false) return undefined
  const { age: duration = '1d', ...others } = table
  const age = parseBoundedDuration(duration, MAX.age)
  if (age === undefined)
    throw errorFor(`limits.newcomer.age: ${duration} is not a duration; write it like 24h, from 1s to 365d`)
  const limits: Partial<Record<LimitedAction, readonly Limit[]>> = Object.fromEntries(
    Object.entries(others).map(([action, texts]) => [action, texts.map((text) => parse(`newcomer.${action}`, text))]),
  )
  return { age, limits: { ...defaults?.limits, ...limits } }
}

function parseBoundedDuration(text: string, max: number): number | undefined {
  const duration = parseDuration(text)
  return duration !== undefined && duration >= 1_000 && duration <= max ? duration : undefined
}
