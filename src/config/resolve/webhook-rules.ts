import { errorMessage } from '../../core/errors.ts'
import type { RigConfig } from '../city-config.ts'
import { type Declaration, locationOf } from '../declare/declaration.ts'
import type { WebhookRuleFields } from '../declare/webhook.ts'
import type { Diagnostics } from '../diagnostics/diagnostics.ts'
import { parsePayloadTemplate } from '../webhooks/payload-template.ts'
import type { WebhookRuleConfig } from '../webhooks/webhook.ts'

/** The arguments that a conversation cannot do without, and those that it takes. */
const CONVERSATION_REQUIRED = ['provider', 'conversation_id', 'text']
const CONVERSATION_ARGS = [
  ...CONVERSATION_REQUIRED,
  ...['account_id', 'scope_id', 'parent_conversation_id', 'kind', 'message_id', 'actor_id', 'actor', 'reply_to'],
]

/** What follows from a delivery, rule by rule. */
export function resolveRule(
  declaration: Declaration<WebhookRuleFields>,
  rigs: readonly RigConfig[],
  diagnostics: Diagnostics,
): WebhookRuleConfig {
  const { values } = declaration
  const report = (name: keyof WebhookRuleFields & string, message: string) =>
    diagnostics.error(locationOf(declaration, name), message)
  const { target = 'order', order, rig, match = {}, args = {} } = values
  if (target === 'order' && order === undefined) report('order', 'is required: the order that is started')
  if (target === 'conversation' && order !== undefined) {
    report('order', 'stands beside target = "conversation"; take one of them out')
  }
  if (rig !== undefined && target === 'conversation') report('rig', 'is nothing that a conversation uses; take it out')
  if (rig !== undefined && !rigs.some(({ name }) => name === rig)) report('rig', `there is no rig "${rig}"`)
  if (target === 'conversation') checkConversation(args, report)
  for (const [path] of Object.entries(match)) {
    if (path.split('.').includes('')) report('match', `"${path}" is not a path such as label.name`)
  }
  for (const [name, text] of Object.entries(args)) {
    try {
      parsePayloadTemplate(text)
    } catch (error) {
      report('args', `"${name}": ${errorMessage(error)}`)
    }
  }
  return { ...values, target, match, args }
}

function checkConversation(args: Readonly<Record<string, string>>, report: (name: 'args', message: string) => void) {
  for (const name of CONVERSATION_REQUIRED) {
    if (args[name] === undefined) report('args', `"${name}" is required with target = "conversation"`)
  }
  for (const name of Object.keys(args)) {
    if (CONVERSATION_ARGS.includes(name)) continue
    report('args', `"${name}" is nothing that a conversation takes; it takes ${CONVERSATION_ARGS.join(', ')}`)
  }
}
