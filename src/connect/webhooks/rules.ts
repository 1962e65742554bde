import type { WebhookRuleConfig } from '../../config/webhooks/index.ts'
import { fillTemplate, type Payload, textOf, valueAt } from './payload.ts'

/** The rule that says what follows from a delivery. */
export interface MatchedRule {
  /** Counted from 0. */
  readonly index: number
  readonly rule: WebhookRuleConfig
  readonly args: Readonly<Record<string, string>>
}

/** The first rule that a delivery fits, with its arguments filled in. */
export function matchRule(
  rules: readonly WebhookRuleConfig[],
  eventType: string | undefined,
  payload: Payload,
): MatchedRule | undefined {
  const index = rules.findIndex((rule) => fits(rule, eventType, payload))
  const rule = rules[index]
  if (!rule) return undefined
  const args = Object.entries(rule.args).map(([name, template]) => [name, fillTemplate(name, template, payload)])
  return { index, rule, args: Object.fromEntries(args) }
}

const fits = ({ event, match }: WebhookRuleConfig, eventType: string | undefined, payload: Payload): boolean =>
  (event === undefined || event === eventType) &&
  Object.entries(match).every(([path, text]) => {
    const value = valueAt(payload, path)
    return value !== undefined && textOf(value) === text
  })
