import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import { SESSION_CONFLICT } from '../../work/errors.ts'
import type { Rules } from './rules.ts'
import {
  RuleDraft,
  RuleFiles,
  RuleList,
  RuleReview,
  RuleSuggestions,
  RuleView,
  ToolCall,
  ToolCallDecision,
} from './schema.ts'

const repeat = { outside: 'look with `gc rule list`' } as const

/** The operations on rules that answer questions: for people alone, also to read. Sessions only get decisions. */
export const ruleRoutes = (city: CityOf<{ rules: Rules }>) => [
  route(
    'GET ~/rules',
    {
      id: 'list-rules',
      summary: 'List the rules that answer questions',
      description: 'Each with how often it answered, and the sessions for which it is void.',
      needs: 'operator',
      ok: RuleList,
      errors: ['forbidden'],
      extension: true,
    },
    (x) => city(x).rules.list(),
  ),
  route(
    'POST ~/rules',
    {
      id: 'add-rule',
      summary: 'Add a rule that answers questions',
      description:
        'gc allows what it names with the answer of the program for this one time. A command is compared argument by argument, and one with characters of a shell only as the exact line.',
      needs: 'operator',
      repeat,
      body: RuleDraft,
      ok: { 201: RuleView },
      errors: ['agent-not-found', 'rig-not-found', 'question-not-found', 'conflict-wrong-state', 'forbidden'],
      extension: true,
    },
    (x) => city(x).rules.add(x.caller, x.body),
  ),
  route(
    'GET ~/rules/suggestions',
    {
      id: 'suggest-rules',
      summary: 'Suggest rules',
      description: 'Suggested rules. They never cover commands that remove, overwrite, publish or run other commands.',
      needs: 'operator',
      ok: RuleSuggestions,
      errors: ['forbidden'],
      extension: true,
    },
    (x) => city(x).rules.suggest(),
  ),
  route(
    'DELETE ~/rule/{id}',
    {
      id: 'remove-rule',
      summary: 'Remove a rule',
      needs: 'operator',
      repeat,
      ok: OKResponseBody,
      errors: ['rule-not-found', 'conflict-wrong-state', 'forbidden'],
      extension: true,
    },
    (x) => city(x).rules.remove(x.caller, x.params.id),
  ),
  route(
    'GET ~/rule/{id}/files/{session}',
    {
      id: 'show-rule-files',
      summary: 'Show the files that a rule depends on',
      description: 'The scripts and manifests that its command names, as they are in the folder of a session.',
      needs: 'operator',
      ok: RuleFiles,
      errors: ['rule-not-found', 'session-not-found', 'forbidden'],
      extension: true,
    },
    (x) => city(x).rules.files(x.params.id, x.params.session),
  ),
  route(
    'POST ~/rule/{id}/review',
    {
      id: 'review-rule',
      summary: 'Accept the files that a rule depends on',
      description: 'The rule applies again to sessions with exactly these files.',
      needs: 'operator',
      repeat,
      body: RuleReview,
      ok: RuleView,
      errors: ['rule-not-found', 'session-not-found', 'conflict-wrong-state', 'forbidden'],
      extension: true,
    },
    (x) => city(x).rules.review(x.caller, x.params.id, x.body),
  ),
  route(
    'POST ~/session/{id}/tool-call',
    {
      id: 'decide-session-tool-call',
      summary: 'Decide a tool call by rules',
      needs: 'session',
      repeat,
      description:
        'For hooks of agent programs, which know the paths of a call and the folder of a command. A call that a rule allows is recorded as an answered question of the session.',
      body: ToolCall,
      ok: ToolCallDecision,
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden'],
      extension: true,
    },
    (x) => city(x).rules.decide(x.caller, x.params.id, x.body),
  ),
]
