import { AppError } from '../../core/errors.ts'
import { html } from '../../http/html.ts'
import { layout } from './layout.ts'
import { htmlResponse } from './responses.ts'
import { singleLine } from './visible-text.ts'

const TITLES: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Not possible',
  413: 'Too large',
  421: 'Wrong server',
  429: 'Too many requests',
  503: 'Try again later',
}

/** The page for an error. */
export function errorPage(error: AppError): Response {
  const status = error.status === 422 ? 400 : error.status
  const title = TITLES[status] ?? 'Something went wrong'
  const message = singleLine(error.message)
  const reason = status === 500 ? 'This is an error of ours, and it was logged. Try again later.' : sentence(message)
  const main = html`<h1>${title}</h1><p class="apart">${reason}</p><p class="apart"><a class="button" href="/">Go to the front page</a></p>`
  const response = htmlResponse(layout({ title, main }), { status })
  for (const [name, value] of Object.entries(error.headers)) response.headers.set(name, value)
  return response
}

/** The same for programs, in the format of the API. */
export const errorJson = ({ status, message, headers }: AppError): Response =>
  Response.json({ success: false, error: sentence(message), hint: null }, { status, headers })

export const pageNotFound = (): AppError =>
  new AppError('invalid-request', 'There is no page at this address.', { status: 404 })

const sentence = (text: string): string => {
  const capitalized = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(capitalized) ? capitalized : `${capitalized}.`
}
