import { duration, type FieldReader, integer, number, string, type ValuesOf } from './fields.ts'

/** `[mail]`. */
export const MAIL = { retentionTtl: duration('retention_ttl') }
export type MailFields = ValuesOf<typeof MAIL>

/** `[events.rotation]`: which archives of events are kept. */
export const EVENT_ROTATION = {
  age: duration('archive_retain_age'),
  bytes: integer('archive_retain_bytes', { min: 0 }),
}
export type EventRotationFields = ValuesOf<typeof EVENT_ROTATION>

/** `[usage]`: where usage is recorded. */
export const USAGE = { provider: string('provider') }
export type UsageFields = ValuesOf<typeof USAGE>

/** A price stands in `[pricing.tier]`, or in the block itself when it has no tier. */
const price = (token: string): FieldReader<number> => {
  const { key, read } = number(`${token}_usd_per_1m`)
  return { key, read: (section) => read(section.has('tier') ? section.child('tier') : section) }
}

/** `[[pricing]]`: what a model costs. */
export const PRICING = {
  provider: string('provider'),
  model: string('model'),
  input: price('prompt'),
  output: price('completion'),
  cacheRead: price('cache_read'),
  cacheWrite: price('cache_creation'),
}
export type PricingFields = ValuesOf<typeof PRICING>
