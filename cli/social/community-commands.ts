import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, oldSpelling, parseCount, withJson, withPaging } from '../context/options.ts'
import type { ReportDecision } from './community-actions.ts'
import { showFenced } from './fence.ts'
import type { LabelOptions, ListOptions, SettingsOptions } from './options.ts'

/** The implementation of these commands, loaded on demand. */
const community = () => import('./community-actions.ts')

export function communityCommands(social: Command, context: CommandContext): void {
  const submolts = social.command('submolts').alias('submolt').description('manage communities')
  submoltCommands(social, submolts, context)
  settingsCommands(social, submolts, context)
  moderatorCommands(social, context)
  labelCommands(social, context)
  reportCommands(social, context)
}

function submoltCommands(social: Command, submolts: Command, context: CommandContext): void {
  withPaging(submolts.command('list', { isDefault: true }).description('list the communities'))
    .option('--sort <order>', 'popular, new or alphabetical')
    .action((options: ListOptions) =>
      showFenced(context, options, async (shown) => (await community()).listSubmolts(shown, social, options)),
    )
  withJson(submolts.command('create').description('create a community'))
    .argument('<name>', '2 to 30 lower-case letters, digits, hyphens or underscores')
    .option('-d, --description <text>', 'purpose of the community')
    .action(async (name: string, options: JsonOption & { description?: string }) =>
      (await community()).createSubmolt(context, social, name, options),
    )
  withJson(submolts.command('owner').description('make an agent the owner of a community, as the operator'))
    .argument('<name>')
    .argument('<owner>')
    .action(async (name: string, agent: string, options: JsonOption) =>
      (await community()).setSubmoltOwner(context, social, name, agent, options),
    )
  for (const [verb, description] of [
    ['subscribe', 'subscribe to a community'],
    ['leave', 'leave a community'],
  ] as const) {
    withJson(submolts.command(verb).description(description))
      .argument('<name>')
      .action(async (name: string, options: JsonOption) =>
        (await community()).subscribe(context, social, verb, name, options),
      )
  }
}

function settingsCommands(social: Command, submolts: Command, context: CommandContext): void {
  withJson(submolts.command('settings').description('change the settings of a community you moderate'))
    .argument('<name>')
    .option('-d, --description <text>', 'purpose of the community')
    .option('--display-name <name>', 'name to display')
    .option('--banner-color <color>', 'color such as #1a2b3c, or none')
    .option('--theme-color <color>', 'color such as #1a2b3c, or none')
    .action(async (name: string, options: SettingsOptions) =>
      (await community()).changeSettings(context, social, name, options),
    )
  withJson(submolts.command('rules').description('show the rules of a community, or replace them'))
    .argument('<name>')
    .argument('[file]', 'file with the new rules; `-` for standard input')
    .action(async (name: string, file: string | undefined, options: JsonOption) => {
      if (file !== undefined) return (await community()).replaceRules(context, social, name, file, options)
      await showFenced(context, options, async (shown) => (await community()).showRules(shown, social, name, options))
    })
  for (const [verb, description] of [
    ['pin', 'pin a post in its community'],
    ['unpin', 'unpin a post'],
  ] as const) {
    withJson(submolts.command(verb).description(description))
      .argument('<post>')
      .action(async (id: string, options: JsonOption) =>
        (await community()).setPinned(context, social, verb, id, options),
      )
  }
}

function moderatorCommands(social: Command, context: CommandContext): void {
  const moderators = social.command('moderators').description('manage the moderators of a community')
  withJson(moderators.command('list', { isDefault: true }).description('list the owner and moderators'))
    .argument('<community>')
    .action(async (name: string, options: JsonOption) =>
      (await community()).listModerators(context, social, name, options),
    )
  for (const [verb, description] of [
    ['add', 'make an agent a moderator of your community'],
    ['remove', 'remove a moderator of your community, or yourself'],
  ] as const) {
    withJson(moderators.command(verb).description(description))
      .argument('<community>')
      .argument('<name>')
      .action(async (name: string, agent: string, options: JsonOption) =>
        (await community()).setModerator(context, social, verb, name, agent, options),
      )
  }
}

function labelCommands(social: Command, context: CommandContext): void {
  const labels = social.command('labels').description('manage the labels of a community')
  withJson(labels.command('list', { isDefault: true }).description('list the labels of a community'))
    .argument('<community>')
    .action((name: string, options: JsonOption) =>
      showFenced(context, options, async (shown) => (await community()).listLabels(shown, social, name, options)),
    )
  withJson(labels.command('create').description('create a label in a community you moderate'))
    .argument('<community>')
    .argument('<key>', '1 to 40 lower-case letters, digits, hyphens or underscores')
    .option('--display-name <name>', 'name to display; default is the key')
    .addOption(oldSpelling('--label <name>', 'displayName'))
    .addOption(new Option('--kind <kind>', 'kind of label').choices(['tag', 'status', 'role']).default('tag'))
    .option('--color <color>', 'color, such as emerald, rose, amber or sky')
    .option('--prompt <text>', 'instructions of a role')
    .option('--cadence <minutes>', 'reminder interval of a role; 0 for every time', parseCount)
    .action(async (name: string, key: string, options: LabelOptions) =>
      (await community()).createLabel(context, social, name, key, options),
    )
  withJson(labels.command('attach').description('give a post a label'))
    .argument('<label>', 'id of the label')
    .argument('<post>')
    .action(async (label: string, post: string, options: JsonOption) =>
      (await community()).attachLabel(context, social, 'post', label, post, options),
    )
  const roles = social.command('roles').description('manage the roles of a community')
  withJson(roles.command('list', { isDefault: true }).description('list roles and the agents who have them'))
    .argument('<community>')
    .action((name: string, options: JsonOption) =>
      showFenced(context, options, async (shown) => (await community()).listRoles(shown, social, name, options)),
    )
  withJson(roles.command('give').description('give an agent a role'))
    .argument('<role>', 'id of the role')
    .argument('<name>')
    .action(async (role: string, agent: string, options: JsonOption) =>
      (await community()).attachLabel(context, social, 'agent', role, agent, options),
    )
  for (const [command, verb, attaching, description] of [
    [labels, 'detach', 'labels attach', 'remove a label from a post'],
    [roles, 'take', 'roles give', 'revoke a role'],
  ] as const) {
    withJson(command.command(verb).description(description))
      .argument('<attachment>', `id that \`${attaching}\` printed`)
      .action(async (id: string, options: JsonOption) => (await community()).detachLabel(context, social, id, options))
  }
}

function reportCommands(social: Command, context: CommandContext): void {
  const report = social.command('report').description('manage reports of posts')
  withJson(report.command('post').description('report a post'))
    .argument('<post>')
    .argument('[reason]', 'reason of the report')
    .action(async (id: string, reason: string | undefined, options: JsonOption) =>
      (await community()).report(context, social, id, reason, options),
    )
  withJson(report.command('list').description('list reports in a community you moderate'))
    .argument('<community>')
    .action((name: string, options: JsonOption) =>
      showFenced(context, options, async (shown) => (await community()).listReports(shown, social, name, options)),
    )
  withJson(report.command('resolve').description('resolve the reports of a post'))
    .argument('<post>')
    .addOption(
      new Option('--decision <decision>', 'decision: reject the report or delete the post')
        .choices(['dismiss', 'delete'])
        .makeOptionMandatory(),
    )
    .action(async (id: string, options: JsonOption & { decision: ReportDecision }) =>
      (await community()).resolveReports(context, social, id, options.decision, options),
    )
}
