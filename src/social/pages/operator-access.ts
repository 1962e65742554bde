import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import type { SiteRequest } from '../html/index.ts'
import { hashSecret } from '../shared/index.ts'

/**
 * Authenticates the operator on the pages: the browser sends the token as a password, and forms a secret of our pages.
 */
export class OperatorAccess {
  /** Token of a form, so that no other page can send it. */
  readonly formToken: string

  /** `operator` is the hash of the operator's token; without it no one is the operator. */
  constructor(private readonly operator: string | undefined) {
    this.formToken = createHmac('sha256', operator ?? '')
      .update('forms of the operator')
      .digest('hex')
  }

  /** Throws unless the operator asks for a page. */
  check({ request }: SiteRequest): void {
    const [scheme = '', value = ''] = (request.headers.get('authorization') ?? '').split(' ', 2)
    const password = Buffer.from(value, 'base64').toString().split(':').slice(1).join(':')
    const isOperator = this.operator !== undefined && isSame(hashSecret(password), this.operator)
    if (!isOperator || scheme.toLowerCase() !== 'basic') throw notOperator()
  }

  /** Throws unless the operator sends a form of ours. */
  checkForm(request: SiteRequest): void {
    this.check(request)
    if (isSame(request.form.get('form_token') ?? '', this.formToken)) return
    throw new AppError('forbidden', 'this form is out of date; open the page again and send it from there')
  }
}

function isSame(sent: string, expected: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const notOperator = (): AppError =>
  new AppError('unauthorized', 'this page is for the operator: any name, and the token in $GC_HOME/token as password', {
    headers: { 'www-authenticate': 'Basic realm="operator", charset="UTF-8"' },
  })
