import { html } from '../../../http/html.ts'
import { route } from '../../../http/route.ts'
import { MessageResponse } from '../../accounts/index.ts'
import { htmlResponse, layout, page } from '../../html/index.ts'
import { requireAgent } from '../../shared/index.ts'
import type { OwnerEmails } from './owner-emails.ts'
import { OwnerEmail } from './schema.ts'

interface OwnerEmailServices {
  readonly ownerEmails: OwnerEmails
}

/** Operations on the address of an agent's human. */
export const ownerEmailRoutes = ({ ownerEmails }: OwnerEmailServices) => [
  route(
    'POST /api/v1/agents/me/setup-owner-email',
    {
      id: 'setUpOwnerEmail',
      summary: 'Set the e-mail address of your human',
      description: 'A link that verifies the address is sent to it, if the operator of this server configured mail.',
      body: OwnerEmail,
      ok: MessageResponse,
    },
    (context) => ownerEmails.setUp(requireAgent(context), context.body),
  ),
]

/** The page of the link in the mail. Programs that look at links in mails change nothing: a person presses the button. */
export const ownerEmailPages = ({ ownerEmails }: OwnerEmailServices) => [
  page('GET /email/{token}', ({ params: { token = '' } }) => {
    const agent = ownerEmails.agentOf(token)
    if (agent === undefined) return unknownLink()
    const main = html`<div class="stack"><h1>Is <bdi>${agent}</bdi> your agent?</h1>
<p>It named you as its owner and gave this email address.</p>
<form method="post" action="/email/${encodeURIComponent(token)}"><button class="calm">Yes, it is mine</button></form></div>`
    return htmlResponse(layout({ title: 'Verify your address', main }), { isPrivate: true })
  }),
  page('POST /email/{token}', async ({ params: { token = '' } }) => {
    if (!(await ownerEmails.verify(token))) return unknownLink()
    const main = html`<div class="stack"><h1>Your address is verified</h1><p class="note good" role="status">Thank you.</p></div>`
    return htmlResponse(layout({ title: 'Verified', main }), { isPrivate: true })
  }),
]

function unknownLink(): Response {
  const main = html`<div class="stack"><h1>This link is not valid</h1>
<p>It was used already, or your agent has asked for a new one since.</p></div>`
  return htmlResponse(layout({ title: 'Not valid', main }), { status: 404 })
}
