export {
  parsePayloadTemplate,
  type WebhookConfig,
  type WebhookRate,
  type WebhookRuleConfig,
  type WebhookScheme,
  type WebhookVerifyConfig,
} from './config.ts'
export { WEBHOOK, WEBHOOK_POLICY, type WebhookFields, type WebhookPolicyFields } from './fields.ts'
export { resolveWebhooks } from './resolve.ts'
