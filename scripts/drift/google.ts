/** Google Play is only read, so that its adapter is compared by the types of what it reads. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** Google's own package, generated from the discovery document of the Google Play Developer API (Apache-2.0). */
export const googlePackage = '@googleapis/androidpublisher'

/** Types that are read here, with those of the package. */
const pairs = {
  Subscription: 'SubscriptionPurchaseV2',
  SubscriptionItem: 'SubscriptionPurchaseLineItem',
  Product: 'ProductPurchaseV2',
  Order: 'Order',
  OrderItem: 'LineItem',
  Money: 'Money',
  VoidedAnswer: 'VoidedPurchasesListResponse',
  "Subscription['externalAccountIdentifiers']": 'ExternalAccountIdentifiers',
  "Subscription['canceledStateContext']": 'CanceledStateContext',
  "Subscription['pausedStateContext']": 'PausedStateContext',
  "SubscriptionItem['offerDetails']": 'OfferDetails',
  "SubscriptionItem['offerPhase']": 'OfferPhase',
  "SubscriptionItem['autoRenewingPlan']": 'AutoRenewingPlan',
  "SubscriptionItem['deferredItemReplacement']": 'DeferredItemReplacement',
  "Order['orderHistory']": 'OrderHistory',
  "OrderItem['subscriptionDetails']": 'SubscriptionDetails',
} as const

/** Returns the version of the package, and each field that is read here and that it does not have. */
export function compareGoogle(folder: string, root: string): { version: string; differences: string[] } {
  const file = join(folder, 'google-play.ts')
  const payload = join(root, 'src/providers/google/payload.ts')
  const lines = Object.entries(pairs).map(
    ([ours, theirs], n) =>
      `export const n${n}: [Missing<ours.${ours}, sdk.Schema$${theirs}>] extends [never] ? 'all are there' : Missing<ours.${ours}, sdk.Schema$${theirs}> = 'all are there'`,
  )
  const text = [
    `import type { androidpublisher_v3 as sdk } from '${googlePackage}'`,
    `import type * as ours from '${payload}'`,
    'type Missing<A, B> = Exclude<Extract<keyof NonNullable<A>, string>, keyof B>',
    ...lines,
  ]
  writeFileSync(file, text.join('\n'))
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  })
  const found = ts.getPreEmitDiagnostics(program, program.getSourceFile(file))
  rmSync(file)
  const { version } = JSON.parse(
    readFileSync(join(folder, 'node_modules', googlePackage, 'package.json'), 'utf8'),
  ) as { version: string }
  return {
    version,
    differences: found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')),
  }
}
