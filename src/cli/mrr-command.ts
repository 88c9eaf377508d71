import { Command, InvalidArgumentError } from 'commander'
import { toCsv, toTable } from '../core/dto/csv.ts'
import { monthsUntil, toIsoUnits } from '../office/measures.ts'
import { countRecurring } from '../office/recurring-count.ts'
import { mostMonths, recurringColumns } from '../office/recurring-months.ts'
import { digitsOf, loadDefinitions } from '../providers/registry.ts'
import { storageOf } from '../site/assembly/former-names.ts'
import { type Common, common } from './flags.ts'
import { columns, print } from './output.ts'
import { siteHere, withSite } from './site.ts'

/** `membership mrr` */
export function mrrCommand(): Command {
  return common(new Command('mrr'))
    .option('--months <count>', `how many months, up to ${mostMonths}`, monthCount, 13)
    .option('--csv', 'print CSV, for a spreadsheet')
    .addHelpText(
      'after',
      '\nStart and movements of a month add up to its end. The office draws the same figures and defines them.' +
        '\n\nExamples:\n  membership mrr\n  membership mrr --months 36 --csv > mrr.csv' +
        "\n  membership mrr --json | jq '.[] | {month, end}'",
    )
    .action(async ({ months: back, csv, ...flags }: Common & { months: number; csv?: boolean }) => {
      const { customProviders = [] } = await siteHere(flags)
      const now = () => new Date()
      const { rows, isKept } = await withSite(flags, async (m) => {
        const { office, providers } = m.operator.config
        const definitions = [...(await loadDefinitions(Object.keys(providers))), ...customProviders]
        const { shop: shopOf } = m.operator.catalogue
        const counting = { storage: storageOf(m), plans: () => m.plans(), now, shopOf }
        const months = monthsUntil(now(), back - 1)
        return {
          rows: await countRecurring({ ...counting, inIso: toIsoUnits(digitsOf(definitions)) }, months),
          isKept: office.enabled,
        }
      })
      if (csv) return void process.stdout.write(toCsv(recurringColumns, rows))
      print(flags, rows, [
        ...(rows.length === 0 ? ['No recurring revenue yet.'] : columns(toTable(recurringColumns, rows))),
        ...(isKept
          ? []
          : [
              '→ Set membership.office.enabled to true: from then on, the site keeps earlier prices and pauses of each month.',
            ]),
      ])
    })
}

function monthCount(given: string): number {
  const months = Number(given)
  if (Number.isInteger(months) && months >= 1 && months <= mostMonths) return months
  throw new InvalidArgumentError(`Say a number from 1 to ${mostMonths}.`)
}
