import type { FieldList } from './option-list.ts'
import type { ScreenQuestion } from './question.ts'

/** Reads a form on a terminal and presses keys in it. */
export interface FormDriver {
  /** The decision once drawing has settled; undefined on a timeout or when the form is gone. */
  seen<T>(decide: (question: ScreenQuestion) => T | undefined): Promise<T | undefined>
  press(keys: string): Promise<unknown>
}

const [UP, DOWN, RIGHT, LEFT] = ['\x1b[A', '\x1b[B', '\x1b[C', '\x1b[D'] as const

/** The list of a field, where the mark stands at it. */
export const listAt = ({ listed }: ScreenQuestion, id: string): FieldList | undefined =>
  listed.find((each) => each.id === id)?.list

/** Opens the list of the marked field. */
export async function openList(form: FormDriver, id: string): Promise<FieldList | undefined> {
  await form.press(RIGHT)
  return form.seen((question) => openOf(listAt(question, id)))
}

export async function closeList(form: FormDriver, id: string): Promise<FieldList | undefined> {
  await form.press(LEFT)
  return form.seen((question) => closedOf(listAt(question, id)))
}

/** Has exactly these choices taken in the list of the field that the mark stands at; says whether the screen shows so. */
export async function takeChoices(
  form: FormDriver,
  { id, tick }: { id: string; tick: string },
  wanted: readonly number[],
): Promise<boolean> {
  let list = await openList(form, id)
  if (!list) return false
  const { choices, several } = list
  const wrong = choices.flatMap(({ isTaken }, place) => (isTaken === wanted.includes(place) ? [] : [place]))
  for (const place of several ? wrong : wrong.filter((each) => wanted.includes(each))) {
    if (!(await moveTo(form, id, list.at, place))) return false
    await form.press(tick)
    list = await form.seen((question) => {
      const now = listAt(question, id)
      return closedOf(now) ?? (now?.choices[place]?.isTaken === wanted.includes(place) ? now : undefined)
    })
    if (!list) return false
  }
  const closed = closedOf(list) ?? (await closeList(form, id))
  return closed !== undefined && (several || isShown(closed.value, choices[wanted[0] ?? -1]?.label ?? ''))
}

async function moveTo(form: FormDriver, id: string, from: number, to: number): Promise<boolean> {
  for (let at = from; at !== to; ) {
    await form.press(at < to ? DOWN : UP)
    const next = await form.seen((question) => {
      const now = openOf(listAt(question, id))?.at
      return now === at ? undefined : now
    })
    if (next === undefined || Math.abs(next - at) !== 1) return false
    at = next
  }
  return true
}

const openOf = (list: FieldList | undefined) => (list && list.choices.length > 0 ? list : undefined)
const closedOf = (list: FieldList | undefined) => (list && list.choices.length === 0 ? list : undefined)

/** True if a value is this choice, which may be shown in part. */
const isShown = (value: string, choice: string): boolean => value !== '' && choice.startsWith(value.replace(/…$/, ''))
