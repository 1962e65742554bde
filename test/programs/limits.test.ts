import { describe, expect, test } from 'bun:test'
import { nextWallTime, parseWallTime, readLeadingDuration } from '../../src/programs/limits/times.ts'
import { readLimit } from '../../src/programs/login-statements.ts'

const NOW = Date.parse('2026-07-19T14:00:00Z')
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** End of a program's limit: a timestamp, '' if unknown, undefined for no limit. */
function until(program: string | undefined, text: string, at = NOW): string | undefined {
  const statement = readLimit(program, text, at)
  if (!statement) return undefined
  return statement.until === undefined ? '' : new Date(statement.until).toISOString().replace('.000Z', 'Z')
}
/** A time of day on this machine's clock. */
const local = (year: number, month: number, day: number, hour: number, minute: number) =>
  new Date(year, month - 1, day, hour, minute).toISOString().replace('.000Z', 'Z')

describe('Claude Code', () => {
  const claude = (text: string, at?: number) => until('claude', text, at)

  test('states a time of day in a zone, on the screen and in its log', () => {
    expect(claude("You've hit your session limit · resets 10:30pm (Europe/Berlin)")).toBe('2026-07-19T20:30:00Z')
    expect(claude("You've hit your session limit · resets 3pm (America/Bogota)")).toBe('2026-07-19T20:00:00Z')
    expect(claude("You've hit your session limit · resets 12:50am (America/Los_Angeles)")).toBe('2026-07-20T07:50:00Z')
    expect(claude("You've hit your limit · resets 2am (Europe/Berlin)")).toBe('2026-07-20T00:00:00Z')
    expect(
      claude(
        "  ⎿  You've hit your session limit · resets 5:40pm (Europe/Berlin)\n     /login to switch to an API account.",
      ),
    ).toBe('2026-07-19T15:40:00Z')
    expect(claude('You’ve hit your Opus limit ∙ resets 3pm (Asia/Tokyo)')).toBe('2026-07-20T06:00:00Z')
    expect(claude('Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5).')).toBe('2026-07-19T18:00:00Z')
    expect(claude('5-hour limit reached ∙ resets 8pm (UTC)')).toBe('2026-07-19T20:00:00Z')
  })

  test('states a date for a week', () => {
    expect(
      claude("You've hit your limit · resets Feb 16, 11am (Europe/Berlin)", Date.parse('2026-02-13T09:00:00Z')),
    ).toBe('2026-02-16T10:00:00Z')
    expect(claude("You've hit your weekly limit · resets Jul 24 at 3pm (Australia/Brisbane)")).toBe(
      '2026-07-24T05:00:00Z',
    )
    expect(claude("You've hit your weekly limit · resets Jan 2, 9am (UTC)", Date.parse('2026-12-30T09:00:00Z'))).toBe(
      '2027-01-02T09:00:00Z',
    )
    // 19 July 2026 is a Sunday.
    expect(claude("You've hit your weekly limit · resets Mon 12:00am (UTC)")).toBe('2026-07-20T00:00:00Z')
  })

  test('states a local time below its input line while it waits for it', () => {
    const at = new Date(2026, 6, 19, 7, 0).getTime()
    const line = '  ⚠ Usage limit reached · limit resets 8:40am\n    Continuing automatically at 8:40am · Esc to cancel'
    expect(claude(line, at)).toBe(local(2026, 7, 19, 8, 40))
  })

  test('states seconds since 1970, or how long it takes', () => {
    expect(claude('Claude AI usage limit reached|1749924000', Date.parse('2025-06-14T17:56:06Z'))).toBe(
      '2025-06-14T18:00:00Z',
    )
    expect(claude("You've hit your session limit · resets in 1d 5h")).toBe('2026-07-20T19:00:00Z')
  })

  test('may not say when, or say a time that has passed', () => {
    expect(claude("You've hit your limit.")).toBe('')
    expect(claude("You've hit your session limit · resets 3:50pm (Europe/Berlin)")).toBe('')
    expect(claude('Claude AI usage limit reached|1749924000')).toBe('')
  })

  test('says nothing about its usage where it only speaks of limits', () => {
    expect(claude('API Error: Server is temporarily limiting requests (not your usage limit)')).toBeUndefined()
    expect(claude('The upload limit is 3 MB, and resets at midnight.')).toBeUndefined()
  })
})

describe('Codex', () => {
  const codex = (text: string, at?: number) => until('codex', text, at)
  const at = new Date(2026, 6, 7, 9, 0).getTime()

  test('states a local time, with the date when it is another day', () => {
    expect(
      codex(
        "■ You've hit your usage limit. Visit https://chatgpt.com/codex/settings/usage to purchase more credits or try again at 4:05 PM.",
        at,
      ),
    ).toBe(local(2026, 7, 7, 16, 5))
    expect(
      codex(
        "You've hit your usage limit for GPT-5.3-Codex-Spark. Switch to another model now, or try again at Jul 9th, 2026 1:47 AM.",
        at,
      ),
    ).toBe(local(2026, 7, 9, 1, 47))
    expect(codex("You've hit your usage limit. Upgrade your plan, or try again at Jul 10, 2026, 11:12 AM.", at)).toBe(
      local(2026, 7, 10, 11, 12),
    )
  })

  test('states how long it takes, also over the end of a line', () => {
    expect(
      codex(
        "■ You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 hours 11\nminutes.",
      ),
    ).toBe('2026-07-25T12:11:00Z')
  })

  test('states it in an error of its API', () => {
    const error = { type: 'usage_limit_reached', message: 'The usage limit has been reached', plan_type: 'free' }
    const seconds = Date.parse('2026-07-20T02:00:00Z') / 1000
    expect(codex(JSON.stringify({ error: { ...error, resets_at: seconds, resets_in_seconds: 9 } }))).toBe(
      '2026-07-20T02:00:00Z',
    )
    expect(codex(JSON.stringify({ error: { ...error, resets_in_seconds: 602_705 } }))).toBe('2026-07-26T13:25:05Z')
    expect(
      codex(
        `{"code":-32603,"message":"Internal error","data":{"codexErrorInfo":"usageLimitExceeded","message":"You've hit your usage limit. Visit https://chatgpt.com/codex/settings/usage to purchase more credits or try again at Sep 1st, 2026 3:14 PM."}}`,
        new Date(2026, 7, 30).getTime(),
      ),
    ).toBe(local(2026, 9, 1, 15, 14))
  })

  test('may not say when', () => {
    expect(codex("You've hit your usage limit. Try again later.")).toBe('')
    expect(codex('■ exceeded retry limit, last status: 429 Too Many Requests')).toBeUndefined()
  })
})

describe('Gemini CLI', () => {
  const gemini = (text: string) => until('gemini', text)

  test('states a time of day with its distance from Greenwich', () => {
    expect(gemini('│ Usage limit reached for gemini-3-flash-preview. │\n│ Access resets at 10:57 PM GMT-3. │')).toBe(
      '2026-07-20T01:57:00Z',
    )
    expect(gemini('Usage limit reached for all Pro models.\nAccess resets at 11:00 AM GMT+2.\n/stats model')).toBe(
      '2026-07-20T09:00:00Z',
    )
    expect(gemini('Usage limit reached for gemini-2.5-pro.\nAccess resets at 3:45 PM PDT.')).toBe(
      '2026-07-19T22:45:00Z',
    )
  })

  test('states how long it takes', () => {
    expect(
      gemini('✕ [API Error: You have exhausted your capacity on this model. Your quota will reset after 12h22m45s.]'),
    ).toBe('2026-07-20T02:22:45Z')
    expect(gemini('You have exhausted your capacity on this model. Your quota will reset after 5s.')).toBe(
      '2026-07-19T14:00:05Z',
    )
    expect(gemini('{"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"51820.6s"}]}')).toBe(
      '2026-07-20T04:23:40.600Z',
    )
  })

  test('may not say when', () => {
    expect(gemini('{"code":429,"message":"You exceeded your current quota, please check your plan"}')).toBe('')
    expect(gemini('I raised the usage limit of the cache.')).toBeUndefined()
  })
})

test('a program that is not known is read as each of the known ones', () => {
  expect(until(undefined, 'Your quota: you have exhausted your capacity. Your quota will reset after 2h.')).toBe(
    '2026-07-19T16:00:00Z',
  )
  expect(until(undefined, 'All is well.')).toBeUndefined()
})

test('a limit is never held longer than a month, and its words are kept short', () => {
  expect(until('codex', `usage_limit_reached {"resets_at": ${NOW / 1000 + 40 * 86_400}}`)).toBe('')
  expect(
    readLimit('gemini', `Quota exceeded for quota metric '${'x'.repeat(9000)}'`, NOW)?.text.length,
  ).toBeLessThanOrEqual(300)
})

test('a time of day that passed within the hour is that of today, else that of tomorrow', () => {
  const at = (text: string) => nextWallTime(parseWallTime(text) ?? { hour: 0, minute: 0 }, 'UTC', NOW) - NOW
  expect([at('2pm'), at('1:30 PM'), at('1pm'), at('12:59pm')]).toEqual([0, -HOUR / 2, DAY - HOUR, DAY - HOUR - 60_000])
  expect([parseWallTime('13:30pm'), parseWallTime('noon'), parseWallTime('0am')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('a time of day is right on the days on which clocks change', () => {
  const summer = Date.parse('2026-03-28T23:30:00Z')
  const winter = Date.parse('2026-10-24T22:30:00Z')
  const berlin = (text: string, now: number) =>
    until('claude', `You've hit your limit · resets ${text} (Europe/Berlin)`, now)
  expect([berlin('1am', summer), berlin('4am', summer)]).toEqual(['2026-03-29T00:00:00Z', '2026-03-29T02:00:00Z'])
  expect([berlin('1am', winter), berlin('4am', winter)]).toEqual(['2026-10-24T23:00:00Z', '2026-10-25T03:00:00Z'])
})

test('durations are read in words and in letters', () => {
  expect(
    ['5 days 22 hours 11 minutes', '18h31m10s', '51820.6s', '900ms', '1d 5h', '2 hours and 1 minute'].map(
      readLeadingDuration,
    ),
  ).toEqual([
    5 * DAY + 22 * HOUR + 660_000,
    18 * HOUR + 31 * 60_000 + 10_000,
    51_820_600,
    900,
    29 * HOUR,
    2 * HOUR + 60_000,
  ])
  expect(['', 'soon', 'in 5 days', '5 dollars'].map(readLeadingDuration)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

describe('OpenCode', () => {
  const opencode = (text: string) => until('opencode', text)

  test('states how long it waits before it tries again', () => {
    const NOW_AND = (ms: number) => new Date(NOW + ms).toISOString().replace('.000Z', 'Z')
    expect(opencode('⬝⬝ Rate limit reached for requests [retrying in 1h 59m attempt #1]')).toBe(
      NOW_AND(2 * HOUR - 60_000),
    )
    expect(opencode('You exceeded your current quota, please check your plan. [retrying in ~1 day attempt #1]')).toBe(
      NOW_AND(DAY),
    )
    expect(opencode('Usage limit reached. (click to expand) [retrying in 3h\n    #2]')).toBe(NOW_AND(3 * HOUR))
  })

  test('says nothing about its usage where its provider is only busy', () => {
    expect(opencode('Rate limit exceeded [retrying in 8s attempt #3]')).toBeUndefined()
    expect(opencode('The rate limit reached 5 requests')).toBeUndefined()
  })
})
