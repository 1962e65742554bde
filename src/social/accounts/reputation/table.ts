import { index, integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core'

/** Table of vouches of claimed agents for others. */
export const vouches = sqliteTable(
  'vouches',
  {
    voucher: integer().notNull(),
    agent: integer().notNull(),
    at: integer().notNull(),
  },
  (vouch) => [
    primaryKey({ columns: [vouch.agent, vouch.voucher] }),
    index('vouches_by').on(vouch.voucher, vouch.agent),
  ],
)

/** Texts of the last days that repeated another, by whose they were. */
export const textRepeats = sqliteTable(
  'text_repeats',
  {
    n: integer().primaryKey(),
    agent: integer().notNull(),
    at: integer().notNull(),
  },
  (repeat) => [index('text_repeats_by').on(repeat.agent, repeat.at), index('text_repeats_old').on(repeat.at)],
)
