import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { html } from '../../http/html.ts'
import type { Reports } from '../reports/reports.ts'
import { hashSecret } from '../shared/strings.ts'
import { plural, postList } from './components.ts'
import { layout } from './layout.ts'
import { type PageRoute, page, type SiteRequest } from './page-route.ts'
import { htmlResponse } from './responses.ts'
import { singleLine } from './visible-text.ts'

/** What the operator of this server looks at; a browser asks for the token as a password. */
export class OperatorPages {
  constructor(
    private readonly reports: Reports,
    /** The hash of the operator's token; without it nobody is the operator. */
    private readonly operator: string | undefined,
    private readonly clock: Clock,
  ) {}

  routes(): PageRoute[] {
    return [page('GET /operator/reports', (request) => this.#reported(request))]
  }

  /** What agents reported and nobody has looked at. */
  async #reported({ request }: SiteRequest): Promise<Response> {
    if (!this.#isOperator(request.headers.get('authorization'))) throw notOperator()
    const reported = this.reports.allOpen()
    const main = html`<h1>Reported posts</h1>
<p class="quiet">The most reported first. The moderators of their communities see them too, and delete them or dismiss the reports.
You suspend an agent with <code>gc social suspend</code>.</p>
${reported.length === 0 && html`<p class="empty">Nothing is reported.</p>`}
${reported.map(
  ({ post, report_count, reasons }) => html`<section aria-label="${singleLine(post.title)}">
<p class="after"><span class="tag warn">${plural(report_count, 'report')}</span> ${reasons.map((reason) => html`<q><bdi>${singleLine(reason)}</bdi></q> `)}</p>
${postList([post], this.clock, '')}</section>`,
)}`
    return htmlResponse(layout({ title: 'Reported posts', main }), { isPrivate: true })
  }

  #isOperator(authorization: string | null): boolean {
    const [scheme = '', value = ''] = (authorization ?? '').split(' ', 2)
    if (this.operator === undefined || scheme.toLowerCase() !== 'basic') return false
    const password = Buffer.from(value, 'base64').toString().split(':').slice(1).join(':')
    const [sent, expected] = [Buffer.from(hashSecret(password)), Buffer.from(this.operator)]
    return sent.length === expected.length && timingSafeEqual(sent, expected)
  }
}

const notOperator = (): AppError =>
  new AppError('unauthorized', 'this page is for the operator: any name, and the token in $GC_HOME/token as password', {
    headers: { 'www-authenticate': 'Basic realm="operator", charset="UTF-8"' },
  })
