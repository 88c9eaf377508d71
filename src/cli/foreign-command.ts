import { Command } from 'commander'
import type { ForeignLists, StoredForeign } from '../memberships/sync/index.ts'
import { type Common, common, nameOf, withName } from './flags.ts'
import { columns, counted, print } from './output.ts'
import { withSite } from './site.ts'

/** `membership foreign …` */
export function foreignCommand(): Command {
  return new Command('foreign')
    .addHelpText(
      'after',
      '\nPlans decide what is yours. An earlier version took in every purchase of the account.' +
        '\n\nExamples:\n  membership foreign list\n  membership foreign list --json' +
        '\n  membership foreign keep sub_123 --write\n  membership foreign remove\n  membership foreign remove --write',
    )
    .addCommand(listCommand())
    .addCommand(keepCommand())
    .addCommand(removeCommand())
}

function listCommand(): Command {
  return common(new Command('list').description('List stored purchases that no plan names.')).action(
    async (flags: Common) => {
      const lists = await withSite(flags, (m) => m.operator.foreign.list())
      print(flags, lists, linesOf(lists))
    },
  )
}

function keepCommand(): Command {
  return withName(
    common(new Command('keep').description('Keep purchases as yours, whatever the plans name.')),
  )
    .argument('<id...>', 'ids of subscriptions and payments, from the list')
    .option('--write', 'do it; without, the report says what would be')
    .addHelpText(
      'after',
      '\nThey stay this site’s from then on, and `foreign remove` leaves them. The payments of a subscription follow it.' +
        '\n\nExamples:\n  membership foreign keep sub_123\n  membership foreign keep sub_123 pi_456 --write --json',
    )
    .action(async (ids: string[], { write, by, ...flags }: Common & { write?: boolean; by?: string }) => {
      const lists = await withSite(flags, (m) => m.operator.foreign.keep({ ids, write, by: nameOf({ by }) }))
      print(flags, lists, [
        ...linesOf(lists),
        ...(lists.written ? [] : ['', `→ membership foreign keep ${ids.join(' ')} --write`]),
      ])
    })
}

function removeCommand(): Command {
  return common(new Command('remove').description('Give purchases of other shops back to them.'))
    .option('--write', 'do it; without, the report says what would be')
    .addHelpText(
      'after',
      '\nThey make no member, mail or figure any more. Nothing is cancelled or changed at a provider, and no account is deleted.' +
        '\nThe unclear ones stay. Name their price in the plans or in membership.providers.{provider}.prices, or keep them, and they are yours.' +
        '\n\nExamples:\n  membership foreign remove\n  membership foreign remove --write --json',
    )
    .action(async ({ write, ...flags }: Common & { write?: boolean }) => {
      const lists = await withSite(flags, (m) => m.operator.foreign.remove({ write }))
      print(flags, lists, [
        ...linesOf(lists),
        ...(lists.written || lists.foreign.length === 0 ? [] : ['→ membership foreign remove --write']),
      ])
    })
}

function linesOf({ own, foreign, unclear, kept, written }: ForeignLists): string[] {
  return [
    `${counted(own, 'purchase')} of yours, ${foreign.length} of other shops${written && kept.length === 0 ? ', removed' : ''}, ${unclear.length} unclear.`,
    ...(kept.length === 0 ? [] : [`${written ? 'Kept' : 'To keep'}: ${kept.join(', ')}`]),
    ...part('Of other shops, because no plan names their price or product:', foreign),
    ...part(
      'Unclear, so they stay as they are. Yours? Name their price in a plan or in prices, or keep them:',
      unclear,
    ),
  ]
}

function part(title: string, found: readonly StoredForeign[]): string[] {
  return found.length === 0
    ? []
    : [
        '',
        title,
        ...columns(
          found.map(({ kind, provider, id, prices, memberId }) => [
            `  ${kind}`,
            `${provider} ${id}`,
            prices.join(', ') || 'no price is known',
            memberId ?? 'nobody’s',
          ]),
        ),
      ]
}
