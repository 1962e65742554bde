import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { Gate } from './gate.ts'
import type { Gates } from './gates.ts'
import type { BlockedBead } from './open-gates.ts'

/** So many are listed one by one. */
const MAX_LISTED = 100
/** Changes within this time are announced together. */
const SETTLING_MS = 250

/** An entry with what is asked in detail. */
interface GateEntry extends AttentionEntry {
  readonly text?: string
}

/** Gates that a person has to resolve, as soon as nothing else holds up what they block. */
export class GateAttention implements AttentionSource<GateEntry> {
  readonly name = 'gates'
  readonly #entries = new Map<string, GateEntry>()

  constructor(
    private readonly gates: Pick<Gates, 'open' | 'problemOf'>,
    private readonly deadlines: Deadlines,
  ) {
    gates.open.onChange((id) => this.#update(id))
  }

  items(): GateEntry[] {
    const entries = [...this.#entries.values()]
    const more = entries.length - MAX_LISTED
    if (more <= 0) return entries
    const rest: GateEntry = {
      ...{ id: 'gate:more', kind: 'gate', to_do: 'bd gate list' },
      asks: `${more} more gates wait for a person.`,
    }
    return [...entries.slice(0, MAX_LISTED), rest]
  }

  onChange(listener: () => void): () => void {
    let waiting: Deadline | undefined
    const unsubscribe = this.gates.open.onChange(() => {
      waiting ??= this.deadlines.after(SETTLING_MS, () => {
        waiting = undefined
        listener()
      })
    })
    return () => {
      waiting?.cancel()
      unsubscribe()
    }
  }

  #update(id: string): void {
    const gate = this.gates.open.find(id)
    const entry = gate && this.#entryOf(gate)
    if (entry) this.#entries.set(id, entry)
    else this.#entries.delete(id)
  }

  #entryOf(gate: Gate): GateEntry | undefined {
    const problem = this.gates.problemOf(gate)
    if (gate.kind !== 'human' && problem === undefined) return undefined
    const blocked = this.gates.open.blockedBy(gate.id)
    if (blocked === undefined) return undefined
    return {
      ...{ id: `gate:${gate.id}`, kind: 'gate', bead_id: blocked === 'none' ? gate.id : blocked.id },
      asks: sentence(gate, blocked, problem),
      to_do: `bd gate resolve ${gate.id}`,
      ...(gate.description && { text: gate.description }),
      ...(blocked === 'none' && { since: gate.createdAt }),
    }
  }
}

function sentence({ id, title }: Gate, blocked: BlockedBead | 'none', problem: string | undefined): string {
  const subject = blocked === 'none' ? '' : `Bead ${blocked.id} (${blocked.title}) waits for `
  const gate = `gate ${id}: ${title}`
  return `${subject}${subject === '' ? gate.replace('gate', 'Gate') : gate}${problem === undefined ? '' : ` (${problem})`}`
}
