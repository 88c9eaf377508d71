/** What is paid, and how often, in the provider's minor units. */
export interface CostData {
  amount: number
  currency: string
  /** Whose minor units these are. */
  provider?: string
  interval: 'day' | 'week' | 'month' | 'year'
  interval_count: number
}

/** An order as its page showed it, and what was agreed to on it; `text` empty: nothing had to be. */
export interface OrderedData {
  at: string
  text: string
  facts: readonly { label: string; text: string }[]
}

/** What stood behind an end: a trial was left, the money did not come, it went back, or a bank took it back. */
export type EndReason = 'trial' | 'unpaid' | 'refunded' | 'disputed'

/** What each kind of mail has to be told. Times are ISO 8601, amounts minor units, addresses http or https. */
export interface MailData {
  'magic-link': { url: string; minutes: number; isSignup: boolean }
  welcome: {
    plan_title: string
    account_url: string
    /** When a trial ends and the first payment follows. */
    trial_until?: string | null
    ordered?: OrderedData | null
  }
  receipt: {
    title: string
    ordered?: OrderedData | null
    amount: number
    currency: string
    /** Whose minor units these are. */
    provider?: string
    paid_at: string
    invoice_url: string | null
    renews_at: string | null
    /** The end of the membership, where this was its last payment. */
    ends_at?: string | null
  }
  'payment-failed': {
    title: string
    amount: number
    currency: string
    /** Whose minor units these are. */
    provider?: string
    /** Null: nothing is said about how long access lasts. */
    access_until: string | null
    /** What it pays for is closed already. */
    is_closed?: boolean
    /** When the provider tries again by itself; null where it does not, or does not say. */
    retry_at?: string | null
    /** Where this one payment is made up for; null: the account is offered. */
    pay_url: string | null
    account_url: string
  }
  cancellation: {
    title: string
    /** Null: it ended now. */
    paid_until: string | null
    /** Its end, where that lies beyond what is paid: until then it is charged as before. */
    charged_until?: string | null
    /** Null: somebody cancelled, and that is all. */
    reason?: EndReason | null
    /** Where the cancellation is taken back; null: it cannot be. */
    resume_url: string | null
    account_url: string
  }
  /** A trial that will be charged, and before which it can be cancelled. `cost` null: not known here. */
  'trial-ending': { title: string; at: string; cost: CostData | null; account_url: string }
  /** A year, or a longer period, is charged again. */
  'renewal-ahead': { title: string; at: string; cost: CostData | null; account_url: string }
  /** Money went back: `amount` of what was `paid`. */
  refund: {
    title: string
    amount: number
    paid: number
    currency: string
    /** Whose minor units these are. */
    provider?: string
    /** What was bought with it is open no more. */
    has_closed: boolean
  }
  /** Another plan, price or quantity counts now. `next_at` null: it ends, or nobody said when it is charged. */
  changed: {
    before: string
    title: string
    cost: CostData | null
    next_at: string | null
    account_url: string
  }
  /** Access that somebody gave by hand; `from` null: at once, `until` null: for good. */
  granted: { title: string; from: string | null; until: string | null; account_url: string }
  /** A bank was asked to pay and takes its time. */
  'payment-pending': { title: string; account_url: string }
  /** It did not pay: nothing was bought. */
  'purchase-failed': { title: string; account_url: string }
  /** Paid, and nobody has said yet what for: the site's own people look. */
  'payment-unassigned': {
    amount: number
    currency: string
    /** Whose minor units these are. */
    provider?: string
    paid_at: string
    account_url: string
  }
  /** Two memberships of which one is enough, bought on two devices perhaps. */
  'bought-twice': { title: string; account_url: string }
  /** A second trial, which has ended unpaid. */
  'trial-ended': { title: string; account_url: string }
  /** The site changes its payment provider: it ends with what is paid, and is bought again at the new one. */
  switching: {
    title: string
    ends_at: string
    /** It can be bought before that, and costs nothing before. */
    isSoldNow: boolean
    /** That was taken back: it goes on as before. */
    isBack: boolean
    account_url: string
  }
  /** To the new address: whoever opens it owns it. */
  'email-change': { url: string; minutes: number }
  /** To the old address: the link takes the change back. */
  'email-changed': { url: string; days: number }
  /** To a member's own address: another account is to become a part of this one. */
  'merge-own': { url: string; minutes: number; other_email: string }
  /** To the address of that other account. */
  'merge-other': { url: string; minutes: number; email: string }
  /** To both, when it is done: the link takes it back. */
  merged: { url: string; days: number; email: string; other_email: string }
  'account-deleted': Record<never, never>
  /** Confirms what was declared on a public page: what, and the second in which it arrived. */
  declaration: {
    number: string
    kind: 'cancellation' | 'withdrawal'
    nature: 'ordinary' | 'extraordinary' | null
    received_at: string
    name: string
    contract: string
    reason: string | null
    /** The day that was named for its end; null: as early as possible. */
    ends_on?: string | null
  }
  /** To whoever runs the site: something has to be answered by a day; `due_on` null: the provider names none. */
  'operator-deadline': {
    about: 'dispute' | 'cancellation' | 'withdrawal'
    number: string
    due_on: string | null
    url: string
  }
  /** To whoever runs the site: something is wrong, or is over. */
  'operator-alert': { isOver: boolean; provider: string; message: string; action: string }
}

/** What a mail is about; it names the texts in the language file. */
export type MailKind = keyof MailData

/** A mail, ready to send: `to` is one bare address, `to` and `subject` hold no line break and no control character. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The name of the language file: `de`. */
  readonly language: string
  readonly kind: MailKind
  /** What belongs into the mail's head beside these: `List-Unsubscribe` for mails that a member may do without. */
  readonly headers: Readonly<Record<string, string>>
}

/** Hands one mail over, or throws. Given by the host; `id` is the same at each attempt to send the same mail. */
export type Transport = (mail: Mail & { readonly id: string }) => Promise<void>
