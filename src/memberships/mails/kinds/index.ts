import { accessEnding } from './access-ending.ts'
import { accountDeleted } from './account-deleted.ts'
import { boughtTwice } from './bought-twice.ts'
import { cancellation } from './cancellation.ts'
import { cardExpiring } from './card-expiring.ts'
import { changed } from './changed.ts'
import { declaration } from './declaration.ts'
import { emailChange } from './email-change.ts'
import { emailChanged } from './email-changed.ts'
import { gift } from './gift.ts'
import { giftBegun } from './gift-begun.ts'
import { giftBought } from './gift-bought.ts'
import { giftClosed } from './gift-closed.ts'
import { giftRedeemed } from './gift-redeemed.ts'
import { granted } from './granted.ts'
import {
  groupDisputed,
  groupEnded,
  groupFewer,
  groupInvitation,
  groupReminder,
  groupTakeover,
} from './group.ts'
import { magicLink } from './magic-link.ts'
import { mergeOther } from './merge-other.ts'
import { mergeOwn } from './merge-own.ts'
import { merged } from './merged.ts'
import { operatorAlert } from './operator-alert.ts'
import { operatorDeadline } from './operator-deadline.ts'
import { paymentFailed } from './payment-failed.ts'
import { paymentPending } from './payment-pending.ts'
import { paymentUnassigned } from './payment-unassigned.ts'
import { priceRaise, priceRaiseOff } from './price-raise.ts'
import { purchaseFailed } from './purchase-failed.ts'
import { receipt } from './receipt.ts'
import { refund } from './refund.ts'
import { renewalAhead } from './renewal-ahead.ts'
import { switching } from './switching.ts'
import { trialEnded } from './trial-ended.ts'
import { trialEnding } from './trial-ending.ts'
import { welcome } from './welcome.ts'
import { yearlyReminder } from './yearly-reminder.ts'

/** Every kind of mail: the key of its texts in `templates/mails/`, and in a site's own language file. */
export type MailKind =
  | 'magic-link'
  | 'welcome'
  | 'receipt'
  | 'payment-failed'
  | 'access-ending'
  | 'cancellation'
  | 'trial-ending'
  | 'renewal-ahead'
  | 'yearly-reminder'
  | 'card-expiring'
  | 'refund'
  | 'changed'
  | 'granted'
  | 'group-invitation'
  | 'group-fewer'
  | 'group-takeover'
  | 'group-disputed'
  | 'group-reminder'
  | 'group-ended'
  | 'gift'
  | 'gift-bought'
  | 'gift-redeemed'
  | 'gift-begun'
  | 'gift-closed'
  | 'payment-pending'
  | 'purchase-failed'
  | 'payment-unassigned'
  | 'bought-twice'
  | 'trial-ended'
  | 'switching'
  | 'price-raise'
  | 'price-raise-off'
  | 'email-change'
  | 'email-changed'
  | 'merge-own'
  | 'merge-other'
  | 'merged'
  | 'account-deleted'
  | 'declaration'
  | 'operator-deadline'
  | 'operator-alert'

export const kinds = {
  'magic-link': magicLink,
  welcome: welcome,
  receipt: receipt,
  'payment-failed': paymentFailed,
  'access-ending': accessEnding,
  cancellation: cancellation,
  'trial-ending': trialEnding,
  'renewal-ahead': renewalAhead,
  'yearly-reminder': yearlyReminder,
  'card-expiring': cardExpiring,
  refund: refund,
  changed: changed,
  granted: granted,
  'group-invitation': groupInvitation,
  'group-fewer': groupFewer,
  'group-takeover': groupTakeover,
  'group-disputed': groupDisputed,
  'group-reminder': groupReminder,
  'group-ended': groupEnded,
  gift: gift,
  'gift-bought': giftBought,
  'gift-redeemed': giftRedeemed,
  'gift-begun': giftBegun,
  'gift-closed': giftClosed,
  'payment-pending': paymentPending,
  'purchase-failed': purchaseFailed,
  'payment-unassigned': paymentUnassigned,
  'bought-twice': boughtTwice,
  'trial-ended': trialEnded,
  switching: switching,
  'price-raise': priceRaise,
  'price-raise-off': priceRaiseOff,
  'email-change': emailChange,
  'email-changed': emailChanged,
  'merge-own': mergeOwn,
  'merge-other': mergeOther,
  merged: merged,
  'account-deleted': accountDeleted,
  declaration: declaration,
  'operator-deadline': operatorDeadline,
  'operator-alert': operatorAlert,
} satisfies Record<MailKind, unknown>
