/**
 * The zod schemas of everything that this package hands out: for a site that stores or forwards it, and reads it back.
 *
 * @module membership/schemas
 */

export { accountExportSchema } from './core/dto/account-export.ts'
export {
  checkoutSchema,
  customerSchema,
  invoicePreviewSchema,
  invoiceSchema,
  paymentItemSchema,
  paymentSchema,
  paymentStatuses,
  planSchema,
  priceSchema,
  prospectSchema,
  purposes,
  scheduledChangeSchema,
  subscriptionItemSchema,
  subscriptionSchema,
  subscriptionStatuses,
} from './core/dto/index.ts'
