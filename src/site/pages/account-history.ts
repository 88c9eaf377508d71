import type { Payment, Subscription } from '../../core/dto/index.ts'
import { titleIn, type Voice } from '../../core/words/index.ts'
import { type FirstPrice, unknownFirstPrice, type View } from '../../memberships/members/index.ts'

/** Rows of the history on one page. */
export const rowsPerPage = 10

/** One row of the history: a payment with its papers, or a membership that began, was cancelled or ended. */
export interface HistoryRow {
  readonly at: string
  readonly day: string
  readonly text: string
  readonly amount: string | null
  readonly status: string | null
  readonly papers: readonly { readonly label: string; readonly url: string }[]
}

interface PaymentWords {
  readonly date: string
  readonly text: string
  readonly amount: string
  readonly status_label: string
  readonly papers: HistoryRow['papers']
}

interface HistoryWords {
  readonly voice: Voice
  readonly page: number
  readonly rowOf: (p: Payment) => PaymentWords
  readonly firstPrice?: FirstPrice | undefined
}

/**
 * Lists the history, newest first, a page at a time. A later change of a subscription changes no row: the
 * payments of the time show what was bought.
 */
export function historyOf(view: View, { voice, page, rowOf, firstPrice = unknownFirstPrice }: HistoryWords) {
  const rows = [...paymentRows(view, rowOf), ...turnRows(view, { voice, firstPrice })].sort((a, b) =>
    a.at < b.at ? 1 : -1,
  )
  const pages = Math.max(1, Math.ceil(rows.length / rowsPerPage))
  const shown = Math.min(Math.max(1, page), pages)
  return {
    rows: rows
      .slice((shown - 1) * rowsPerPage, shown * rowsPerPage)
      .map((row) => ({ ...row, day: voice.day(row.at) })),
    count: rows.length,
    page: shown,
    pages,
    newer: shown > 1 ? `?history=${shown - 1}#history` : null,
    older: shown < pages ? `?history=${shown + 1}#history` : null,
  }
}

type Row = Omit<HistoryRow, 'day'>

function paymentRows(view: View, rowOf: (p: Payment) => PaymentWords): Row[] {
  return (view.user()?.payments() ?? []).map((p) => {
    const { date, text, amount, status_label, papers } = rowOf(p)
    return { at: date, text, amount, status: status_label, papers }
  })
}

function turnRows(view: View, { voice, firstPrice }: { voice: Voice; firstPrice: FirstPrice }): Row[] {
  return (view.user()?.subscriptions() ?? []).flatMap((s) => {
    const paid = paidFor(s, view)
    const row = (
      at: string | null,
      say: (title: string) => string,
      priceOf = (moment: string) => priceAt(s, moment, paid),
    ): Row[] => {
      if (at === null) return []
      const price = priceOf(at)
      return [{ at, text: say(titleIn(voice, price, view.boughtAs(price, at))), ...noPayment }]
    }
    const isTrial = s.trial_ends_at !== null
    return [
      ...row(
        s.started_at,
        (of) => voice.say(isTrial ? 'account.trial_began' : 'account.began', { title: of }),
        () => firstPrice(s) ?? paid[0]?.price_id ?? s.price_id,
      ),
      ...(s.canceled_at === s.ended_at
        ? []
        : row(s.canceled_at, (of) => voice.say('account.canceled', { title: of }))),
      ...row(s.ended_at, (of) => voice.say('account.ended', { title: of })),
    ]
  })
}

const noPayment = { amount: null, status: null, papers: [] }

// A bank may take its time, and clocks differ.
const leewayMs = 86_400_000

/** Returns the payments of a subscription, oldest first. */
function paidFor(s: Subscription, view: View): Payment[] {
  return (view.user()?.payments() ?? [])
    .filter((p) => p.subscription_id === s.id && p.price_id !== null && p.paid_at !== null)
    .sort((a, b) => (a.paid_at! < b.paid_at! ? -1 : 1))
}

/**
 * Returns the price that a subscription was paid at, at that time. The subscription's current price would
 * rewrite history.
 */
function priceAt(s: Subscription, at: string, paid: readonly Payment[]): string | null {
  const until = new Date(Date.parse(at) + leewayMs).toISOString()
  return (paid.findLast((p) => p.paid_at! <= until) ?? paid[0])?.price_id ?? s.price_id
}
