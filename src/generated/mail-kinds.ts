// Made from src/memberships/mails/kinds/ by `npm run words`.

/** The mails that a site can turn off. */
export const optionalMails = [
  'welcome',
  'receipt',
  'payment-failed',
  'access-ending',
  'cancellation',
  'trial-ending',
  'renewal-ahead',
  'yearly-reminder',
  'card-expiring',
  'refund',
  'changed',
  'granted',
  'gift-begun',
  'payment-pending',
  'purchase-failed',
  'payment-unassigned',
  'bought-twice',
  'trial-ended',
  'switching',
  'account-deleted',
] as const
