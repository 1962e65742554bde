import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { WebhookList, WebhookTest, WebhookTestResult } from './schema.ts'
import type { Webhooks } from './webhooks.ts'

/** The operations on webhooks. Deliveries themselves are not operations: each sender has a form of its own. */
export const webhookRoutes = (city: CityOf<{ webhooks: Webhooks }>) => [
  route(
    'GET ~/webhooks',
    {
      configuration: true,
      id: 'list-webhooks',
      summary: 'List webhooks',
      description:
        'The addresses to which other services deliver what happens there, as `[[webhook]]` of city.toml and of packs ' +
        'declares them, with what keeps one from working.',
      ok: WebhookList,
      extension: true,
    },
    (x) => city(x).webhooks.list(),
  ),
  route(
    'POST ~/webhook/{name}/test',
    {
      id: 'test-webhook',
      summary: 'Deliver a sample to a webhook',
      description:
        'Signs a delivery with the secret of the webhook and takes it as one from outside: what its rules say follows. ' +
        'The secret is not shown. A dry run delivers nothing and needs no secret.',
      needs: 'configure',
      body: WebhookTest,
      ok: WebhookTestResult,
      errors: ['webhook-not-found', 'validation-failed', 'conflict-wrong-state'],
      extension: true,
    },
    (x) => city(x).webhooks.test(x.params.name, x.body),
  ),
]
