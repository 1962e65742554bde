import type { Charged } from './quotas.ts'
import { rateLimitHeaders } from './rate-limiter.ts'

/** Answers with what was created, and with what is left of the limit in the headers. */
export async function withQuotaHeaders<Value>(
  { response }: { response: { headers: Record<string, string> } },
  creation: Promise<Charged<Value>>,
): Promise<Value> {
  const { value, quota } = await creation
  Object.assign(response.headers, rateLimitHeaders(quota))
  return value
}
