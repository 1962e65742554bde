/** Kind of a tool, independent of its name in a program. */
export type ToolKind =
  | 'command'
  | 'stdin'
  | 'code'
  | 'patch'
  | 'edit'
  | 'write'
  | 'glob'
  | 'grep'
  | 'search'
  | 'fetch'
  | 'file'
  | 'todo'
  | 'plan'
  | 'question'
  | 'task'

const NAMES_BY_KIND: Readonly<Record<ToolKind, string>> = {
  command: 'bash shell shell_command exec_command local_shell local_shell_call container.exec run_shell_command',
  stdin: 'write_stdin bashoutput killshell killbash taskoutput taskstop',
  code: 'python ipython code_interpreter javascript',
  patch: 'apply_patch patch',
  edit: 'edit multiedit notebookedit replace str_replace str_replace_based_edit_tool',
  write: 'write write_file create_file',
  glob: 'glob list ls list_directory list_dir',
  grep: 'grep search_file_content grep_search codesearch',
  search: 'websearch web_search web_search_call google_web_search toolsearch',
  fetch: 'webfetch web_fetch fetch',
  file: 'read read_file read_many_files view view_image notebookread',
  todo: 'todowrite todoread write_todos',
  plan: 'update_plan exitplanmode enterplanmode exit_plan_mode',
  question: 'askuserquestion question ask_user request_user_input',
  task: 'task agent subagent spawn_agent',
}

const KINDS_BY_NAME: ReadonlyMap<string, ToolKind> = new Map(
  (Object.keys(NAMES_BY_KIND) as ToolKind[]).flatMap((kind) =>
    NAMES_BY_KIND[kind].split(' ').map((name) => [name, kind] as const),
  ),
)

/** The kind of a tool by its name; undefined when it is not known. */
export const kindOf = (name: string | undefined): ToolKind | undefined => KINDS_BY_NAME.get(name?.toLowerCase() ?? '')

/** A call of a tool: its name and input. */
export interface ToolCall {
  readonly name: string
  readonly input: unknown
}
