import { type Declaration, duration, integer, type ValuesOf } from '../declare/index.ts'

const DAY = 24 * 60 * 60_000

/** `[mail]`. */
export const MAIL = {
  /** Time a message stays after it was read, and again after it was archived; 0 indefinitely. */
  retentionTtl: duration('retention_ttl'),
}
export type MailFields = ValuesOf<typeof MAIL>
export type MailConfig = Readonly<MailFields>

/** `[events.rotation]`: which archives of events are kept. */
export const EVENT_ROTATION = {
  /** 0 indefinitely. */
  age: duration('archive_retain_age'),
  /** Maximum disk space of all archives; 0 for no limit. */
  bytes: integer('archive_retain_bytes', { min: 0 }),
}
export type EventRotationFields = ValuesOf<typeof EVENT_ROTATION>
export type EventArchiveConfig = Readonly<EventRotationFields>

export const resolveMail = (declared: Declaration<MailFields> | undefined): MailConfig => ({
  retentionTtl: 30 * DAY,
  ...declared?.values,
})

export const resolveEventArchives = (declared: Declaration<EventRotationFields> | undefined): EventArchiveConfig => ({
  age: 365 * DAY,
  bytes: 10 * 2 ** 30,
  ...declared?.values,
})
