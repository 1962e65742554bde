const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 }
const PART = /(\d+(?:\.\d+)?) ?(d(?:ays?)?|h(?:ours?|rs?)?|ms|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)\b/gi

/** Reads the duration at the start of a text, in milliseconds: `5 days 22 hours 11 minutes`, `18h31m10s`, `51820.6s`. */
export function readLeadingDuration(text: string): number | undefined {
  const spaced = text.replace(/(\d[a-z]+)(?=\d)/gi, '$1 ')
  let end = 0
  let total: number | undefined
  for (const { 0: part, 1: count, 2: unit = '', index } of spaced.matchAll(PART)) {
    if (spaced.slice(end, index).replaceAll(/,|and|\s/g, '') !== '') break
    total = (total ?? 0) + Number(count) * (UNITS[/^ms$/i.test(unit) ? 'ms' : (unit[0] ?? '').toLowerCase()] ?? 0)
    end = index + part.length
  }
  return total === undefined ? undefined : Math.round(total)
}
