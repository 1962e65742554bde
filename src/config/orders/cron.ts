import { Cron } from 'croner'

const MAX_KNOWN = 4096
const good = new Set<string>()

/** What is wrong with a schedule; undefined when it can be read. */
export function cronProblem(schedule: string): string | undefined {
  if (good.has(schedule)) return undefined
  const problem = findProblem(schedule)
  if (problem !== undefined) return problem
  if (good.size >= MAX_KNOWN) good.clear()
  good.add(schedule)
  return undefined
}

function findProblem(schedule: string): string | undefined {
  const fields = schedule.trim().split(/\s+/).length
  if (fields !== 5 && !schedule.startsWith('@')) return `it must have 5 fields, not ${fields}`
  try {
    new Cron(schedule, { paused: true, mode: '5-part', domAndDow: true })
    return undefined
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return error.message.replace(/^CronPattern: (Syntax error, )?/, '')
  }
}
