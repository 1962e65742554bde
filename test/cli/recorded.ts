import type { Town } from './town.ts'

/** The types of the events of a city, oldest first. */
export async function recordsOf(town: Town, city: string): Promise<string[]> {
  const { out } = await town.gc(['--city', city, 'events', '--json'])
  return out
    .trim()
    .split('\n')
    .map((line) => String(JSON.parse(line).type))
}
