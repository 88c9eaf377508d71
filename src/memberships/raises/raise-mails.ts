import type { Subscription } from '../../core/dto/index.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import type { Handlers } from '../../core/jobs/outbox.ts'
import { type Notices, paidLessOf } from '../mails/index.ts'
import { firstCharge, isLeaving } from './decide.ts'
import { keyOf, type RaiseMail, type Raises } from './raises.ts'
import type { RaisedKey } from './statements.ts'

export interface RaiseMailsDeps {
  readonly raises: Pick<Raises, 'lookUp' | 'noticed' | 'reminded'>
  readonly tokens: Pick<Tokens, 'sign'>
  /** null where the site sends no mails. */
  readonly notices: Pick<Notices, 'deliver'> | null
  /** The title of a price in a language; null for the default language. */
  readonly titleOf: (language: string | null, price: string, quantity: number) => string
  readonly siteUrl: () => string
  readonly accountUrl: () => string
  readonly now: () => Date
}

/** Writes the mails about raises when they are sent, so that no link is in a queue and no outdated notice is sent. */
export function createRaiseMails(deps: RaiseMailsDeps): Handlers {
  const { raises, tokens, notices, titleOf, siteUrl, accountUrl, now } = deps

  return {
    'raise-mail': async ({ id, payload }) => {
      const { kind, charged_at, ...key } = payload as RaisedKey & { kind: RaiseMail; charged_at?: string }
      const found = await raises.lookUp(key)
      if (notices === null || found === null || found.subscription === null) return
      const { raise, row, user, subscription: s } = found
      if (charged_at !== undefined) {
        const isOpen = row.noticed_at !== null && (row.state === 'noticed' || row.state === 'agreed')
        if (raise.status !== 'running' || !isOpen || isLeaving(s) || s.current_period_end !== charged_at)
          return
      } else if (kind === 'price-raise') {
        if (raise.status === 'undone' || row.state !== 'noticed' || row.noticed_at !== null) return
        if (raise.status === 'stopped') return void (await raises.noticed(key, 'stopped'))
        if (isLeaving(s)) return void (await raises.noticed(key, 'leaving'))
      }
      // Without an address, nobody was notified, and nothing is raised.
      if (!user?.email) return void (await raises.noticed(key, 'unreachable'))
      const { email: to, name, language } = user
      const quantity = s.quantity ?? 1
      const title = titleOf(language, raise.from_price, quantity)
      const currency = s.currency ?? row.currency
      const now_ = s.unit_amount ?? row.from_amount
      // A notice names both sums in the currency that is charged, or it is not sent.
      if (now_ === null || row.to_amount === null || currency === null || currency !== row.currency)
        return void (await raises.noticed(key, 'unreachable'))
      const before = costAt(s, { amount: now_ * quantity, currency })
      const recipient = { to, name, language }
      if (kind === 'price-raise-off') {
        const data = { title, cost: before, account_url: accountUrl() }
        await notices.deliver(id, kind, { ...recipient, data }, { memberId: user.id })
        return
      }
      const url = `${siteUrl()}/membership/price/${await tokens.sign(raisePurpose, { ...keyOf(row) }, linkSeconds)}`
      const data = {
        title,
        before,
        after: costAt(s, { amount: row.to_amount * quantity, currency }),
        at: charged_at ?? firstCharge(s, raise, now()),
        url,
        needs_consent: raise.needs_consent === 1 && row.agreed_at === null,
        paid_less: paidLessOf(s, user.payments(), before),
      }
      const isSent = await notices.deliver(id, kind, { ...recipient, data }, { memberId: user.id })
      if (charged_at === undefined) await raises.noticed(key, isSent ? 'sent' : 'unreachable')
      else if (isSent) await raises.reminded(key)
    },
  }
}

function costAt(s: Subscription, { amount, currency }: { amount: number; currency: string }) {
  return {
    amount,
    currency,
    provider: s.provider,
    interval: s.interval ?? ('month' as const),
    interval_count: s.interval_count ?? 1,
  }
}

/** The purpose of the token in a notice's link. */
export const raisePurpose = 'price-raise'
// Longer than a yearly membership with a notice of months.
const linkSeconds = 550 * 86_400
