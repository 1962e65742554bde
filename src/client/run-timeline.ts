import type { CityClient } from './client.ts'
import type { Output } from './operations.ts'

export type RunTimeline = Output<'GET ~/runs/{run_id}/timeline'>

/** The most steps of one page. */
const PAGE = 200

/** The timeline of a run with so many of its steps at most; `next_cursor` is there when it has more. */
export async function readTimeline(
  city: CityClient,
  run_id: string,
  limit: number,
  signal?: AbortSignal,
): Promise<RunTimeline> {
  const page = (cursor: string | undefined, size: number) =>
    city.call('GET ~/runs/{run_id}/timeline', {
      params: { run_id },
      query: { limit: Math.min(size, PAGE), ...(cursor && { cursor }) },
      ...(signal && { signal }),
    })
  let timeline = await page(undefined, limit)
  while (timeline.next_cursor && timeline.steps.length < limit) {
    const { steps, next_cursor, ...rest } = await page(timeline.next_cursor, limit - timeline.steps.length)
    timeline = { ...rest, steps: [...timeline.steps, ...steps], ...(next_cursor && { next_cursor }) }
  }
  return timeline
}
