import type { AttentionResolution, AttentionSource } from '../../../core/attention.ts'
import type { HostPrompts, OpenHostPrompt } from '../../questions/index.ts'
import type { ListedItem } from '../schema.ts'

/** The hosts beyond all lists that confined sessions ask for. */
export class HostAttention implements AttentionSource<ListedItem> {
  readonly name = 'asked-hosts'

  constructor(private readonly prompts: HostPrompts) {}

  items(): ListedItem[] | undefined {
    return this.prompts.open()?.map(toItem)
  }

  onChange(listener: () => void): () => void {
    return this.prompts.onChange(listener)
  }

  resolution(id: string): AttentionResolution | undefined {
    return this.prompts.resolution(id)
  }
}

const toItem = ({ id, row, host, prompt, since, bead, answers, options }: OpenHostPrompt): ListedItem => ({
  ...{ id, kind: 'host', question_kind: 'network', agent: row.template, session_id: row.id, since },
  ...{ session_name: row.alias ?? row.sessionName, folder: row.workDir, text: host, cut: false },
  ...(bead !== undefined && { bead_id: bead }),
  asks: prompt,
  to_do: `gc attention answer ${id} ${answers.join('|')}`,
  answers: [...answers],
  options: [...options],
})
