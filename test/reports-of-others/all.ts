import { accessReports } from './access.ts'
import { hostReports } from './host.ts'
import { mailReports } from './mail.ts'
import { migrationReports } from './migration.ts'
import { moneyReports } from './money.ts'
import { providerReports } from './provider.ts'
import type { Declined, Report } from './report.ts'
import { indexReports } from './website-index.ts'

/** Every report, by kind. */
export const reports: readonly Report[] = [
  ...moneyReports,
  ...accessReports,
  ...mailReports,
  ...providerReports,
  ...hostReports,
  ...indexReports,
  ...migrationReports,
]

/** Wishes that this package declines on purpose. */
export const declined: readonly Declined[] = [
  {
    link: 'https://github.com/invertase/stripe-firebase-extensions/issues/148',
    wanted: 'a plan that is billed by usage opens its role',
    because: 'Usage is counted and stopped here, and never billed.',
    docs: 'compare.md',
  },
  {
    link: 'https://github.com/polarsource/polar/issues/8381',
    wanted: 'a dispute at Polar closes what was bought',
    because: 'Polar sends no events about disputes, so nobody here can know of one.',
    docs: 'providers/polar.md',
  },
  {
    link: 'https://github.com/armitage-labs/creem/issues/13',
    wanted: 'a cancellation at Creem closes at once, as an expiry does',
    because: 'A cancellation keeps the days that are paid; a refund closes them.',
    docs: 'reference/creem.md',
  },
]
