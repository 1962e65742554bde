import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, oldSpelling, parseCount, withJson, withPaging } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import type { DiffOptions } from './diff.ts'
import type { ListOptions } from './list.ts'

/** `gc review`: what sessions committed, as people look at it. */
export function reviewCommands(program: Command, context: CommandContext): void {
  const review = program.command('review').description('review what sessions committed')
  withWatch(withPaging(review.command('list', { isDefault: true }).description('list changes, newest first')))
    .option('--state <state>', 'ready, working, asked, approved, landed, discarded or all')
    .option('--agent <agent>', 'only changes of this agent')
    .option('--rig <rig>', 'only those of this rig')
    .option('--bead <bead>', 'only changes of this bead')
    .action(watched(context, async (to, options: ListOptions) => (await import('./list.ts')).list(to, options)))
  withWatch(withJson(review.command('show').description('show files, comments, rounds and cost of a change')))
    .argument('<change>')
    .action(
      watched(context, async (to, id: string, options: JsonOption) =>
        (await import('./show.ts')).show(to, id, options),
      ),
    )
  withWatch(withJson(review.command('diff').description('show the diff of a change')))
    .argument('<change>')
    .option('--stat', 'only the number of changed lines of each file')
    .option('--path <path>', 'only this file, even if generated')
    .option('--since-last', 'only changes since you last read an earlier round')
    .option('--since-round <round>', 'only changes since this round', parseCount)
    .addOption(oldSpelling('--since <round>', 'sinceRound').argParser(parseCount))
    .action(
      watched(context, async (to, id: string, options: DiffOptions) =>
        (await import('./diff.ts')).diff(to, id, options),
      ),
    )
  commentCommands(review, context)
  decisionCommands(review, context)
}

function commentCommands(review: Command, context: CommandContext): void {
  withJson(review.command('comment').description('draft a comment on a change; `gc review ask` sends it'))
    .argument('<change>')
    .argument('<place>', 'file and lines, such as src/a.ts:12 or src/a.ts:12-14')
    .requiredOption('--text <text>', 'text of the comment')
    .option('--old', 'count lines as before the change')
    .action(async (id: string, place: string, options) =>
      (await import('./verbs.ts')).comment(context, id, place, options),
    )
  withJson(review.command('edit').description('change the text of a draft'))
    .argument('<change>')
    .argument('<number>', 'number of the comment')
    .requiredOption('--text <text>', 'text of the comment')
    .action(async (id: string, n: string, options) => (await import('./verbs.ts')).edit(context, id, n, options))
  withJson(review.command('remove').description('remove a draft'))
    .argument('<change>')
    .argument('<number>', 'number of the comment')
    .action(async (id: string, n: string, options) => (await import('./verbs.ts')).remove(context, id, n, options))
  withJson(review.command('reply').description('answer a comment on your change'))
    .argument('<change>')
    .argument('<number>', 'number of the comment')
    .requiredOption('--text <text>', 'your reply')
    .action(async (id: string, n: string, options) => (await import('./verbs.ts')).reply(context, id, n, options))
}

function decisionCommands(review: Command, context: CommandContext): void {
  withJson(review.command('ask').description('send your drafts to the session, as one turn'))
    .argument('<change>')
    .option('--text <text>', 'further instructions')
    .action(async (id: string, options) => (await import('./verbs.ts')).ask(context, id, options))
  withJson(review.command('approve').description('approve a change at the commit that you saw'))
    .argument('<change>')
    .option('--head <commit>', 'commit that you read; default is the one shown last')
    .action(async (id: string, options) => (await import('./verbs.ts')).approve(context, id, options))
  withJson(review.command('discard').description('discard a change; its commits stay for 30 days'))
    .argument('<change>')
    .option('--reason <text>', 'reason')
    .action(async (id: string, options) => (await import('./verbs.ts')).discard(context, id, options))
}
