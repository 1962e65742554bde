import { parsePayloadTemplate } from '../../config/webhooks/payload-template.ts'
import { isNestedTooDeep } from '../../core/json-depth.ts'
import { withoutLoneSurrogates } from '../../core/json-surrogates.ts'
import { isObject } from '../../http/json-object.ts'
import { Rejection } from './admission/rejection.ts'

/** The body of a delivery. */
export type Payload = Readonly<Record<string, unknown>>

/** The most that one argument may be, as for the variables of a formula. */
const MAX_ARGUMENT_BYTES = 64 * 1024

/** Reads a body as a JSON object; throws a rejection for anything else. */
export function parsePayload(body: Uint8Array): Payload {
  const value = parse(body)
  if (isObject(value)) return value
  throw badPayload('the body is not a JSON object')
}

function parse(body: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    if (!isNestedTooDeep(text)) return JSON.parse(withoutLoneSurrogates(text))
  } catch {
    throw badPayload('the body is not JSON; choose application/json where the sender is set up')
  }
  throw badPayload('the body is nested too deep')
}

const badPayload = (message: string): Rejection => new Rejection('bad_payload', 400, message, message)

/** The value at a dotted path; a number counts the entries of a list from 0. Only the payload's own keys are found. */
export function valueAt(payload: Payload, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return /^\d{1,6}$/.test(key) ? value[Number(key)] : undefined
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }, payload)
}

/** A value as text: what is missing is empty, and a list or an object is JSON. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Fills the placeholders of a text; throws a rejection when it becomes too long or cannot be passed on. */
export function fillTemplate(name: string, template: string, payload: Payload): string {
  const parts = parsePayloadTemplate(template)
  const text = parts.map((part) => (typeof part === 'string' ? part : textOf(valueAt(payload, part.path)))).join('')
  if (Buffer.byteLength(text) > MAX_ARGUMENT_BYTES) throw matchError(`the argument "${name}" is longer than 64 KB`)
  if (text.includes('\0')) throw matchError(`the argument "${name}" holds a NUL, which no variable can`)
  return text
}

const matchError = (message: string): Rejection => new Rejection('match_error', 422, message, message)
