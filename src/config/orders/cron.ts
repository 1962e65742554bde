import { Cron } from 'croner'

/** The times of five cron fields in a zone; a day must match both its fields. Throws when they cannot be read. */
export const cronOf = (schedule: string, timezone: string): Cron =>
  new Cron(schedule, { paused: true, mode: '5-part', domAndDow: true, timezone })

/** What is wrong with a schedule; undefined when it can be read. */
export function cronProblem(schedule: string): string | undefined {
  const fields = schedule.trim().split(/\s+/).length
  if (fields !== 5 && !schedule.startsWith('@')) return `it must have 5 fields, not ${fields}`
  try {
    cronOf(schedule, 'UTC')
    return undefined
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return error.message.replace(/^CronPattern: (Syntax error, )?/, '')
  }
}
