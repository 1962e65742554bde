import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationContentValue,
  ElicitationPropertySchema,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk'
import { AppError } from '../../core/errors.ts'
import { isObject } from '../../core/json.ts'
import type { PermissionChoice } from '../protocol/index.ts'
import { findChoices, type OptionRole, type QuestionOption, splitOptions } from '../protocol/index.ts'
import type { RecordWriter } from './record-writer.ts'
import { ToolCalls } from './tool-calls.ts'

interface PendingQuestion {
  /** Answers the agent; fails when the answer does not fit. */
  answer(choice: string, text: string): void
  cancel(): void
}

/** Permission requests of an agent. It waits for as long as it takes: until somebody answers, or its turn ends. */
export class Permissions {
  readonly #pending = new Map<string, PendingQuestion>()
  readonly #toolCalls = new ToolCalls()
  #count = 0

  constructor(
    private readonly run: string,
    private readonly writer: RecordWriter,
  ) {}

  /** The agent told something that a later question may leave out. */
  onUpdate(update: SessionUpdate): void {
    this.#toolCalls.onUpdate(update)
  }

  /**
   * Resolves with the answer; `given` aborts when the agent takes its question back. gc's own protocol is allowed
   * immediately.
   */
  async ask(asked: RequestPermissionRequest, given: AbortSignal): Promise<RequestPermissionResponse> {
    const { toolCall, options } = asked
    const tool = this.#toolCalls.complete(toolCall)
    const once = options.find(({ kind }) => kind === 'allow_once')
    if (once && tool.kind === 'execute' && (await isOfProtocol(toolCall.rawInput)))
      return { outcome: { outcome: 'selected', optionId: once.optionId } }
    const request = this.#name('permission')
    const choices = options.map(({ optionId, name, kind }) => ({ id: optionId, name, kind }))
    this.writer.write({ type: 'asked', request, tool, choices })
    given.addEventListener('abort', () => this.#cancel(request), { once: true })
    return new Promise((resolve) => {
      this.#pending.set(request, {
        answer(choice) {
          const ids = choices.map(({ id }) => id)
          if (!ids.includes(choice))
            throw new AppError('validation-failed', `${request} can be answered with ${ids.join(', ')}`)
          resolve({ outcome: { outcome: 'selected', optionId: choice } })
        },
        cancel: () => resolve({ outcome: { outcome: 'cancelled' } }),
      })
    })
  }

  /** Resolves with what a person fills into the agent's form. */
  elicit(params: CreateElicitationRequest, given: AbortSignal): Promise<CreateElicitationResponse> {
    const { message, options, answer } = readElicitation(params)
    const request = this.#name('elicitation')
    const tool = { title: message, kind: 'elicitation' }
    this.writer.write({ type: 'asked', request, tool, choices: DECISIONS, options })
    given.addEventListener('abort', () => this.#cancel(request), { once: true })
    return new Promise((resolve) => {
      this.#pending.set(request, {
        answer: (choice, text) => resolve(answer(choice, text)),
        cancel: () => resolve({ action: 'cancel' }),
      })
    })
  }

  #name(what: string): string {
    return `${what}-${this.run.slice(0, 8)}-${++this.#count}`
  }

  /** Answers a question with one of its choices, or a form with its fields and their text. */
  answer(request: string, choice: string, text = ''): void {
    const pending = this.#pending.get(request)
    if (!pending) throw new AppError('conflict-wrong-state', `${request} is no longer asked`)
    pending.answer(choice, text)
    this.#pending.delete(request)
    this.writer.write({ type: 'answered', request, choice })
  }

  /** Takes every question off the table, since the turn or the agent ends. */
  cancel(): void {
    for (const request of [...this.#pending.keys()]) this.#cancel(request)
  }

  #cancel(request: string): void {
    const pending = this.#pending.get(request)
    if (!pending) return
    this.#pending.delete(request)
    this.writer.write({ type: 'answered', request })
    pending.cancel()
  }
}

/** The inputs of a tool for commands that do not change what its command may do. */
const INPUTS = new Set(['command', 'description', 'timeout'])

/** True if the request itself says that its call runs one command of gc's own protocol, and nothing else. */
async function isOfProtocol(input: unknown): Promise<boolean> {
  if (!isObject(input) || typeof input.command !== 'string' || !Object.keys(input).every((key) => INPUTS.has(key)))
    return false
  if (!/^\s*(?:gc|bd)\s/.test(input.command)) return false
  const { protocolWords } = await import('../../programs/protocol/protocol.ts')
  return protocolWords(input.command, []) !== undefined
}

/** A field of a form, as people are asked for it, and as its agent wants it. */
interface Field {
  name: string
  schema: ElicitationPropertySchema
  option: QuestionOption
  /** Values of its choices. */
  values: readonly string[]
  isRequired: boolean
}

/** Form with which an agent asks a person. */
interface Elicitation {
  message: string
  options: QuestionOption[]
  /** Response to the agent: its fields with a text for each text field, or a refusal. */
  answer(taken: string, text: string): CreateElicitationResponse
}

/** Options that end a form. */
const DECISIONS: PermissionChoice[] = [
  { id: 'accept', name: 'Accept', kind: 'allow_once' },
  { id: 'decline', name: 'Decline', kind: 'reject_once' },
  { id: 'cancel', name: 'Cancel', kind: 'other' },
]
const ROLES: Readonly<Record<string, OptionRole>> = { accept: 'allow-once', decline: 'deny' }
const DECIDING = DECISIONS.map(({ id, name: label }): QuestionOption => ({ id, label, role: ROLES[id] ?? 'other' }))

/** Reads an agent's form; fails for what is asked in another way. */
function readElicitation(request: CreateElicitationRequest): Elicitation {
  const { mode, message } = request
  const asked: unknown = 'requestedSchema' in request ? request.requestedSchema : undefined
  const schema = isObject(asked) ? asked : undefined
  if (mode !== 'form' || !schema) throw invalid(`an elicitation of mode ${mode} is not supported; forms are`)
  const required = Array.isArray(schema.required) ? schema.required : []
  const properties = isObject(schema.properties) ? schema.properties : {}
  const fields = Object.entries(properties).flatMap(([name, property], index) =>
    isProperty(property) ? [toField(name, property, String(index + 1), required.includes(name))] : [],
  )
  return {
    message,
    options: [...fields.map(({ option }) => option), ...DECIDING],
    answer: (taken, text) => answerTo(fields, splitOptions(taken), text.split('\n')),
  }
}

const isProperty = (property: unknown): property is ElicitationPropertySchema =>
  isObject(property) && typeof property.type === 'string'

function toField(name: string, schema: ElicitationPropertySchema, id: string, isRequired: boolean): Field {
  const { title, description } = schema
  const named = typeof title === 'string' && title !== '' ? title : name
  const about = typeof description === 'string' && description !== '' ? `: ${description}` : ''
  const choices = choicesOf(schema)
  const option: QuestionOption = {
    ...{ id, label: `${named}${about}${isRequired ? ' (required)' : ''}`, role: 'other', ticks: true },
    ...(schema.type !== 'boolean' && { text: 'required' }),
    ...(choices && { choices: choices.map(({ label }) => label) }),
    ...(schema.type === 'array' && { several: true }),
  }
  return { name, schema, option, values: choices?.map(({ value }) => value) ?? [], isRequired }
}

function choicesOf(schema: ElicitationPropertySchema): { value: string; label: string }[] | undefined {
  const from: unknown = schema.type === 'array' ? schema.items : schema
  if (!isObject(from)) return undefined
  const titled = from.oneOf ?? from.anyOf
  if (Array.isArray(titled))
    return titled
      .filter(isObject)
      .map((each) => ({ value: String(each.const), label: String(each.title ?? each.const) }))
  if (!Array.isArray(from.enum)) return undefined
  const names = Array.isArray(from.enumNames) ? from.enumNames : []
  return from.enum.map((value, index) => ({ value: String(value), label: String(names[index] ?? value) }))
}

function answerTo(fields: readonly Field[], taken: readonly string[], lines: string[]): CreateElicitationResponse {
  if (taken.includes('decline')) return { action: 'decline' }
  if (taken.includes('cancel')) return { action: 'cancel' }
  const content: Record<string, ElicitationContentValue> = {}
  for (const field of fields) {
    const isTaken = taken.includes(field.option.id)
    const value = isTaken ? givenTo(field, field.option.text ? (lines.shift() ?? '') : '') : defaultOf(field)
    if (value !== undefined) content[field.name] = value
    else if (field.isRequired) throw invalid(`"${field.option.label}" needs an answer as well`)
  }
  return { action: 'accept', content }
}

function givenTo({ schema, option, values }: Field, text: string): ElicitationContentValue {
  if (schema.type === 'boolean') return true
  if (option.choices) {
    const places = findChoices(text, option)
    if (!places) throw invalid(`"${text}" is not in the list of "${option.label}": ${option.choices.join(', ')}`)
    const named = places.flatMap((place) => values[place] ?? [])
    return option.several ? named : (named[0] ?? '')
  }
  if (schema.type !== 'number' && schema.type !== 'integer') return text
  const number = Number(text)
  const isNumber =
    text.trim() !== '' && (schema.type === 'integer' ? Number.isInteger(number) : Number.isFinite(number))
  if (!isNumber) throw invalid(`"${text}" is not a number; "${option.label}" wants one`)
  return number
}

/** Value of an unanswered field: a box without a tick is false. */
function defaultOf({ schema }: Field): ElicitationContentValue | undefined {
  if (schema.type === 'boolean') return schema.default === true
  const value: unknown = 'default' in schema ? schema.default : undefined
  if (typeof value === 'string' || typeof value === 'number') return value
  return Array.isArray(value) ? value.map(String) : undefined
}

const invalid = (message: string) => new AppError('validation-failed', message)
