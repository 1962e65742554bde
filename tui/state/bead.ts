import type { Bead } from '../../src/work/beads/schema.ts'

/** A bead as lines of text: its fields, then its description. */
export function beadLines(bead: Bead): string[] {
  const fields: [string, string | undefined][] = [
    ['status', bead.status],
    ['type', bead.issue_type],
    ['priority', bead.priority === undefined || bead.priority === null ? undefined : String(bead.priority)],
    ['assignee', bead.assignee],
    ['goes to', bead.metadata?.['gc.routed_to']],
    ['labels', bead.labels?.join(', ')],
    ['parent', bead.parent],
    ['needs', bead.needs?.join(', ')],
    ['created', bead.created_at],
    ['closed because', bead.metadata?.close_reason],
  ]
  const lines = fields.flatMap(([name, value]) => (value ? [`${name.padEnd(15)} ${value}`] : []))
  return [bead.title, '', ...lines, ...(bead.description ? ['', ...bead.description.split(/\r?\n/)] : [])]
}
