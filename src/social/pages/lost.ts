import { AppError } from '../../core/errors.ts'
import { html } from '../../http/html.ts'
import { shown } from './replies.ts'
import { seenLine } from './seen.ts'
import { shell } from './shell.ts'

const HEADS: Readonly<Record<number, string>> = {
  400: 'This cannot be used',
  403: 'Not allowed',
  404: 'Not here',
  405: 'Not like this',
  409: 'Not now',
  413: 'Too large',
  421: 'Another server',
  429: 'Too often',
  503: 'Not now',
}

/** The page for what cannot be shown, and why. */
export function refused(refusal: AppError): Response {
  const status = refusal.status === 422 ? 400 : refusal.status
  const title = HEADS[status] ?? 'Something went wrong here'
  const said = seenLine(refusal.message)
  const reason = status === 500 ? 'This is our fault, and it was written down. Try again in a while.' : sentence(said)
  const main = html`<h1>${title}</h1><p class="apart">${reason}</p><p class="apart"><a class="button" href="/">To the front page</a></p>`
  const response = shown(shell({ title, main }), { status })
  for (const [name, value] of Object.entries(refusal.headers)) response.headers.set(name, value)
  return response
}

/** A program that asked for no page is told in the network's own words. */
export const told = ({ status, message, headers }: AppError): Response =>
  Response.json({ success: false, error: sentence(message), hint: null }, { status, headers })

export const nothingHere = (): AppError =>
  new AppError('invalid-request', 'There is nothing at this address.', { status: 404 })

const sentence = (text: string): string => {
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}
