import { AppError } from '../../core/errors.ts'
import { FORM, type Payload, parsePayload, textOf } from './payload.ts'
import { samplePayload } from './sample.ts'
import type { WebhookTest } from './schema.ts'

/** What a sample delivery carries. */
export interface SampleBody {
  readonly text: string
  readonly type: string
}

const JSON_TYPE = 'application/json'

/** The body of a sample: what it was given, else one that the first rule of the webhook fits. */
export function sampleBody(
  { payload, form = false, body, content_type }: WebhookTest,
  ...sample: Parameters<typeof samplePayload>
): SampleBody {
  if (body !== undefined && (payload !== undefined || form)) {
    throw new AppError('validation-failed', 'body: is delivered as it is; leave payload and form out')
  }
  if (content_type !== undefined && body === undefined) {
    throw new AppError('validation-failed', 'content_type: is the type of body; give that too')
  }
  if (body !== undefined) return { text: body, type: content_type ?? JSON_TYPE }
  const fields = payload ?? samplePayload(...sample)
  return form ? { text: toForm(fields), type: FORM } : { text: JSON.stringify(fields), type: JSON_TYPE }
}

const toForm = (fields: Payload): string =>
  new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, textOf(value)])).toString()

/** The payload of a sample as the webhook reads it; throws a rejection for what it cannot read. */
export const readSample = ({ text, type }: SampleBody): Payload =>
  parsePayload(Buffer.from(text), new Headers({ 'content-type': type }))
