/** The session that a prompt or a command is for. Paths are absolute. */
export interface PromptSubject {
  readonly city: string
  readonly cityPath: string
  /** Name as an agent: `rig/name`, the name of an instance, or an alias. */
  readonly agent: string
  /** True if its agent has one session at most. */
  readonly isSingle?: boolean
  /** The agent it runs, `rig/name` or `name`. */
  readonly template: string
  /** The agent's own name, without its rig and the name by which its pack is imported. */
  readonly name?: string
  /** The name by which the agent's pack is imported. */
  readonly binding?: string
  readonly session: string
  readonly sessionId?: string
  readonly rig?: string
  readonly rigPath?: string
  readonly workDir: string
  /** The folder of the pack that declares the agent, or the city's. */
  readonly configDir?: string
  readonly workQuery?: string
  readonly slingQuery?: string
  readonly branch?: string
  readonly defaultBranch?: string
  readonly issuePrefix?: string
  readonly provider?: SubjectProvider
  /** The agent's own variables, which prompts can name as well. */
  readonly env?: Readonly<Record<string, string>>
}

export interface SubjectProvider {
  readonly name: string
  readonly displayName: string
  /** The file in which its program looks for instructions. */
  readonly instructionsFile: string
}

/** The fields of a template by name. */
export type TemplateFields = Readonly<Record<string, string | undefined>>

/** Fields of prompt templates on their session, under the names that existing packs use. */
export function promptFields(subject: PromptSubject): TemplateFields {
  const { binding, rig, provider, env } = subject
  const base = baseName(subject)
  return {
    ...env,
    ...commandFields(subject),
    SessionName: subject.session,
    SessionID: subject.sessionId,
    TemplateName: base,
    BindingName: binding,
    BindingPrefix: binding ? `${binding}.` : '',
    Branch: subject.branch,
    DefaultBranch: subject.defaultBranch ?? 'main',
    IssuePrefix: subject.issuePrefix,
    SlingQuery: subject.slingQuery ?? 'gc sling',
    AssignedInProgressQuery: 'bd list --assignee="$GC_AGENT" --status=in_progress --json',
    AssignedReadyQuery: 'bd ready --assignee="$GC_AGENT" --json',
    RoutedPoolQuery: 'bd ready --unassigned --metadata-field "gc.routed_to=$GC_TEMPLATE" --json',
    ProviderKey: provider?.name,
    ProviderDisplayName: provider?.displayName,
    InstructionsFile: provider?.instructionsFile ?? 'AGENTS.md',
    RigName: rig,
  }
}

/** Fields of command templates on their session. */
export function commandFields(subject: PromptSubject): TemplateFields {
  return {
    Session: subject.session,
    Agent: subject.agent,
    AgentName: subject.agent,
    AgentBase: (subject.isSingle ? subject.template : subject.agent).split('/').pop(),
    TemplateName: subject.template,
    CityRoot: subject.cityPath,
    CityName: subject.city,
    Rig: subject.rig,
    RigName: subject.rig,
    RigRoot: subject.rigPath,
    WorkDir: subject.workDir,
    ConfigDir: subject.configDir ?? subject.cityPath,
    WorkQuery: subject.workQuery ?? 'gc hook',
  }
}

const baseName = ({ name, template }: PromptSubject): string | undefined => name ?? template.split('/').pop()

/** Fields as the data of a template; one without a value is empty. */
export const toData = (fields: TemplateFields): ReadonlyMap<string, string> =>
  new Map(Object.entries(fields).map(([name, value]) => [name, value ?? '']))
