import { type Static, Type } from '@sinclair/typebox'
import { parseDuration } from '../../core/durations.ts'
import { type Charged, type Limit, type Limits, usualSettings } from '../settings.ts'

const DAY = 86_400_000
const MOST = { count: 100_000, window: 30 * DAY, age: 365 * DAY }

const limit = Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,5}/.+$' }))
const some = Type.Optional(Type.Array(Type.String({ pattern: '^[1-9][0-9]{0,5}/.+$' }), { minItems: 1, maxItems: 4 }))
const kinds = <Kind>(kind: Kind) => ({ post: kind, comment: kind, vote: kind, follow: kind, submolt: kind })

const NewcomerTable = Type.Object(
  { age: Type.Optional(Type.String()), ...kinds(some) },
  { additionalProperties: false },
)

/** `[limits]` of `social.toml`: `post = "1/30m"`; what is not said is as usual. */
export const LimitsTable = Type.Object(
  {
    general: limit,
    register: limit,
    ...kinds(limit),
    newcomer: Type.Optional(Type.Union([Type.Literal(false), NewcomerTable])),
  },
  { additionalProperties: false },
)
export type LimitsTable = Static<typeof LimitsTable>

/** The limits that a table says, the usual ones for the rest; `wrong` makes an error of what cannot be. */
export function limitsOf(table: LimitsTable, wrong: (what: string) => Error): Limits {
  const { newcomer, ...said } = table
  const read = (name: string, text: string): Limit => {
    const [count = '', length = ''] = text.split('/', 2)
    const window = spanned(length, MOST.window)
    if (Number(count) > MOST.count || window === undefined)
      throw wrong(`limits.${name}: ${text} is no limit; say 50/1h`)
    return { count: Number(count), window }
  }
  const limits = Object.fromEntries(Object.entries(said).map(([name, text]) => [name, read(name, text)]))
  return { ...usualSettings.limits, ...limits, newcomer: newcomersOf(newcomer, read, wrong) }
}

function newcomersOf(
  said: LimitsTable['newcomer'],
  read: (name: string, text: string) => Limit,
  wrong: (what: string) => Error,
): Limits['newcomer'] {
  const usual = usualSettings.limits.newcomer
  if (said === undefined) return usual
  if (said === false) return undefined
  const { age: length = '1d', ...rest } = said
  const age = spanned(length, MOST.age)
  if (age === undefined) throw wrong(`limits.newcomer.age: ${length} is no length of time; say 24h`)
  const limits: Partial<Record<Charged, readonly Limit[]>> = Object.fromEntries(
    Object.entries(rest).map(([what, texts]) => [what, texts.map((text) => read(`newcomer.${what}`, text))]),
  )
  return { age, limits: { ...usual?.limits, ...limits } }
}

function spanned(length: string, most: number): number | undefined {
  const span = parseDuration(length)
  return span !== undefined && span >= 1_000 && span <= most ? span : undefined
}
