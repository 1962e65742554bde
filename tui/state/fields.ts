import { confirmed, notice, valuesOf } from './actions.ts'
import type { Step } from './effects.ts'
import { editLine, type LineEdit, lineOf } from './line.ts'
import { editLong } from './long-text.ts'
import type { FormField, Overlay, State } from './state.ts'

type Form = Overlay & { kind: 'form' }

/** A key in a form: enter goes on to the next field, and after the last one does what was asked. */
export function onFormKey(state: State, form: Form, key: string): Step {
  const { chosen, fields, at } = form
  const go = (to: number): State => ({ ...state, overlay: { ...form, at: (to + fields.length) % fields.length } })
  const field = fields[at]
  const edited = field?.isLong ? editLong(field.edit, key) : undefined
  if (edited && key !== 'enter' && key !== 'tab' && key !== 'shift+tab') return [editField(state, form, () => edited)]
  if (key === 'tab' || key === 'down') return [go(at + 1)]
  if (key === 'shift+tab' || key === 'up') return [go(at - 1)]
  if (key !== 'enter') return [editField(state, form, (edit, field) => chosenBy(key, field) ?? editLine(edit, key))]
  const problem = problemOf(field)
  if (problem !== undefined) return [notice(state, problem, true)]
  if (at < fields.length - 1) return [go(at + 1)]
  const wrong = fields.findIndex((field) => problemOf(field) !== undefined)
  if (wrong >= 0) return [notice(go(wrong), problemOf(fields[wrong]) ?? '', true)]
  return confirmed(state, { type: 'run', chosen, values: valuesOf(fields), fields })
}

/** Changes the text of the field that has the keys. */
export function editField(state: State, form: Form, edit: (line: LineEdit, field: FormField) => LineEdit): State {
  const fields = form.fields.map((field, at) => (at === form.at ? { ...field, edit: edit(field.edit, field) } : field))
  return { ...state, overlay: { ...form, fields } }
}

/** The next of the choices, or the one before; undefined where nothing is chosen so. */
function chosenBy(key: string, { choices, edit }: FormField): LineEdit | undefined {
  const by = key === 'right' ? 1 : key === 'left' ? -1 : 0
  if (by === 0 || choices === undefined) return undefined
  const at = choices.indexOf(edit.text)
  const next = at < 0 && by < 0 ? choices.length - 1 : (at + by + choices.length) % choices.length
  return lineOf(choices[next] ?? '')
}

/** Why a field cannot be left as it is. */
function problemOf(field: FormField | undefined): string | undefined {
  if (field === undefined) return undefined
  const { edit, title, name, isOptional, choices } = field
  if (edit.text.trim() === '') return isOptional ? undefined : `${title} is needed`
  return choices === undefined || choices.includes(edit.text) ? undefined : `${name} is one of ${choices.join(', ')}`
}
