import { EngineKey, WorkflowKey } from '../../work/metadata.ts'
import type { Step } from './formula.ts'
import type { TableReader } from './reader.ts'

type StepKey = keyof Step

/** Constructs that exclude each other in a step, as named in formulas. */
const EXCLUSIVE: readonly (readonly [key: StepKey, name: string, others: readonly (readonly [StepKey, string])[]])[] = [
  [
    'check',
    'check',
    [
      ['loop', 'loop'],
      ['onComplete', 'on_complete'],
      ['gate', 'gate'],
      ['expand', 'expand'],
      ['assignee', 'assignee'],
      ['retry', 'retry'],
    ],
  ],
  [
    'retry',
    'retry',
    [
      ['loop', 'loop'],
      ['onComplete', 'on_complete'],
      ['gate', 'gate'],
      ['expand', 'expand'],
      ['children', 'children'],
    ],
  ],
  [
    'drain',
    'drain',
    [
      ['assignee', 'assignee'],
      ['expand', 'expand'],
      ['gate', 'gate'],
      ['loop', 'loop'],
      ['onComplete', 'on_complete'],
      ['check', 'check'],
      ['retry', 'retry'],
      ['children', 'children'],
      ['timeout', 'timeout'],
    ],
  ],
]

/** Kinds of control beads that only the compiler makes. */
const OWN_KINDS = ['fanout', 'drain', 'scope-check', 'workflow-finalize', 'spec', 'workflow']

/** Checks rules of a step that hold in every context. */
export function checkStepRules(step: Step, table: TableReader): void {
  for (const [key, name, others] of EXCLUSIVE) {
    if (!isSet(step[key])) continue
    for (const [other, otherName] of others) {
      if (isSet(step[other])) table.problem(otherName, `${name} cannot be combined with ${otherName}`)
    }
  }
  if (step.timeout !== undefined && !step.check && !step.drain) {
    table.problem('timeout', 'timeout is the time of an attempt at a step with check: it needs check')
  }
  const kind = step.metadata[WorkflowKey.kind]
  if (step.drain && kind !== undefined) table.problem('metadata', 'drain cannot be combined with metadata gc.kind')
  if (kind !== undefined && OWN_KINDS.includes(kind)) {
    const instead = kind === 'fanout' ? 'on_complete' : kind === 'drain' ? 'drain' : undefined
    table.problem('metadata', `gc.kind = "${kind}" is made by gc alone${instead ? `: write [steps.${instead}]` : ''}`)
  }
}

const isSet = (value: Step[StepKey]): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0)

/** Metadata that only a v2 formula may write. */
const GRAPH_METADATA = [
  EngineKey.scopeName,
  EngineKey.scopeRole,
  WorkflowKey.scopeRef,
  WorkflowKey.continuationGroup,
  EngineKey.onFail,
]
const GRAPH_KINDS = ['scope', 'cleanup', 'retry', 'ralph', 'check', 'retry-eval', 'run']

/** The first thing in a step that only a v2 formula may have; undefined when there is none. */
export function graphConstruct(step: Step): string | undefined {
  if (step.check) return 'check'
  if (step.retry) return 'retry'
  if (step.drain) return 'drain'
  if (step.onComplete) return 'on_complete'
  if (step.timeout !== undefined) return 'timeout'
  const key = GRAPH_METADATA.find((name) => step.metadata[name] !== undefined)
  if (key) return `metadata ${key}`
  const kind = step.metadata[WorkflowKey.kind]
  return kind !== undefined && GRAPH_KINDS.includes(kind) ? `metadata gc.kind = "${kind}"` : undefined
}
