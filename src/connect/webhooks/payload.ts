import { parsePayloadTemplate } from '../../config/webhooks/index.ts'
import { isObject } from '../../core/json.ts'
import { isNestedTooDeep, withoutLoneSurrogates } from '../../core/text/index.ts'
import { Rejection } from './admission/rejection.ts'

/** The body of a delivery. */
export type Payload = Readonly<Record<string, unknown>>

/** The most that one argument may be, as for the variables of a formula. */
const MAX_ARGUMENT_BYTES = 64 * 1024

/** The most fields that a form may have. */
const MAX_FIELDS = 1000

export const FORM = 'application/x-www-form-urlencoded'

/** True if a sender says that the body is a form, as Slack's commands and buttons send it. */
export const isForm = (headers: Headers): boolean =>
  headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === FORM

/** Reads a body as a JSON object or, if its type says form, as a form; throws a rejection for anything else. */
export function parsePayload(body: Uint8Array, headers: Headers): Payload {
  const text = decode(body)
  if (isForm(headers)) return parseForm(text)
  const value = parseJson(text, 'the body is not JSON; choose application/json where the sender is set up')
  if (isObject(value)) return value
  throw badPayload('the body is not a JSON object')
}

/** The fields of a form; one that only has a field `payload` is the JSON object in that. A repeated field is a list. */
function parseForm(text: string): Payload {
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) throw badPayload(`the form has over ${MAX_FIELDS} fields`)
  const form = new URLSearchParams(text)
  const names = [...new Set(form.keys())]
  const [first, second] = names
  if (first !== 'payload' || second !== undefined) {
    return Object.fromEntries(names.map((name) => [name, onlyOrAll(form.getAll(name))]))
  }
  const message = 'the field payload of the form is not a JSON object'
  const value = parseJson(form.get('payload') ?? '', message)
  if (isObject(value)) return value
  throw badPayload(message)
}

const onlyOrAll = (values: string[]): string | string[] => (values.length === 1 ? (values[0] ?? '') : values)

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw badPayload('the body is not text in UTF-8')
  }
}

function parseJson(text: string, problem: string): unknown {
  if (isNestedTooDeep(text)) throw badPayload('the body is nested too deep')
  try {
    return JSON.parse(withoutLoneSurrogates(text))
  } catch {
    throw badPayload(problem)
  }
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
